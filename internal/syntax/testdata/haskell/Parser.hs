{-# LANGUAGE GADTs #-}
{-# LANGUAGE LambdaCase, RankNTypes #-}

{-|
Module      : Config.Parser
Description : Parses configuration, with good messages.
-}
module Config.Parser
  ( Parser
  , Value (..)
  , ParseError (Unexpected, EndOfInput)
  , Pretty (..)
  , parse
  , parseFile
  , value
  , (<?>)
  , module Config.Types
  ) where

import Control.Applicative (Alternative (..), optional)
import Control.Monad (void, when)
import qualified Data.Map.Strict as Map
import Data.Char (isAlpha, isDigit, isSpace)
import Data.List hiding (insert)
import Config.Types
import qualified Data.Text.IO

infixl 1 <?>

-- | Where we are in the input.
data Position = Position
  { line :: !Int -- ^ from 1 on
  , column :: !Int
  } deriving (Eq, Ord, Show)

-- | What can be written down.
data Value
  = Null
  | Bool Bool
  | Number Double
  | String String
  | List [Value]
  | Object (Map.Map Key Value)
  deriving (Eq, Show)

-- | Keys are plain text.
type Key = String

type Table a = Map.Map Key a

newtype Parser a = Parser { runParser :: State -> Either ParseError (a, State) }

data State = State
  { rest :: String
  , position :: Position
  }

-- | Why a text is none of ours.
data ParseError
  = Unexpected { found :: Char, at :: Position }
  | EndOfInput
  | Expected String ParseError
  deriving stock (Show)

-- | A typed expression.
data Expr a where
  IntE  :: Int -> Expr Int
  BoolE :: Bool -> Expr Bool
  If    :: Expr Bool -> Expr a -> Expr a -> Expr a

-- | Things people may read.
class Pretty a where
  -- | On one line.
  pretty :: a -> String
  pretty = prettyAt 0

  prettyAt :: Int -> a -> String
  {-# MINIMAL prettyAt #-}

class (Functor f, Monoid (f ())) => Container f where
  type Item f
  empty' :: f a
  insert :: a -> f a -> f a

instance Pretty Value where
  prettyAt _ Null = "null"
  prettyAt _ (Bool b) = if b then "true" else "false"
  prettyAt _ (Number n) = show n
  prettyAt _ (String s) = show s
  prettyAt depth (List values) =
    "[" ++ intercalate ", " (map (prettyAt (depth + 1)) values) ++ "]"
  prettyAt depth (Object table) = unlines (map render (Map.toList table))
    where
      render (key, v) = indent ++ key ++ ": " ++ prettyAt (depth + 1) v
      indent = replicate (2 * depth) ' '

instance Functor Parser where
  fmap f (Parser p) = Parser $ \state ->
    case p state of
      Left err -> Left err
      Right (a, next) -> Right (f a, next)

instance Applicative Parser where
  pure a = Parser $ \state -> Right (a, state)
  Parser pf <*> Parser pa = Parser $ \state -> do
    (f, next) <- pf state
    (a, end) <- pa next
    return (f a, end)

instance Monad Parser where
  Parser p >>= f = Parser $ \state -> do
    (a, next) <- p state
    runParser (f a) next

instance Alternative Parser where
  empty = Parser (const (Left EndOfInput))
  Parser a <|> Parser b = Parser $ \state -> either (const (b state)) Right (a state)

-- | Names what was expected.
(<?>) :: Parser a -> String -> Parser a
Parser p <?> name = Parser $ \state -> case p state of
  Left err -> Left (Expected name err)
  ok -> ok

-- | Takes a character that fits.
satisfy :: (Char -> Bool) -> Parser Char
satisfy fits = Parser $ \State { rest = text, position = here } ->
  case text of
    [] -> Left EndOfInput
    (c : cs)
      | fits c -> Right (c, State cs (advance c here))
      | otherwise -> Left (Unexpected c here)

advance :: Char -> Position -> Position
advance '\n' p = p { line = line p + 1, column = 1 }
advance _ p@(Position _ col) = p { column = col + 1 }

char :: Char -> Parser Char
char = satisfy . (==)

text :: String -> Parser String
text = traverse char

spaces :: Parser ()
spaces = void (many (satisfy isSpace))

lexeme :: Parser a -> Parser a
lexeme p = p <* spaces

between :: Parser open -> Parser close -> Parser a -> Parser a
between open close p = open *> p <* close

sepBy :: Parser a -> Parser b -> Parser [a]
sepBy p separator = sepBy1 p separator <|> pure []

sepBy1 :: Parser a -> Parser b -> Parser [a]
sepBy1 p separator = (:) <$> p <*> many (separator *> p)

-- | Reads any value.
value :: Parser Value
value = lexeme $
      Null <$ text "null"
  <|> Bool True <$ text "true"
  <|> Bool False <$ text "false"
  <|> Number <$> number
  <|> String <$> quoted
  <|> List <$> between (lexeme (char '[')) (char ']') (value `sepBy` comma)
  <|> Object . Map.fromList <$> between (lexeme (char '{')) (char '}') (pair `sepBy` comma)
  where
    comma = lexeme (char ',')
    pair = do
      key <- lexeme quoted
      _ <- lexeme (char ':')
      v <- value
      pure (key, v)

number :: Parser Double
number = do
  sign <- optional (char '-')
  digits <- some (satisfy isDigit)
  let magnitude = read digits
      negative = maybe False (const True) sign
  return (if negative then negate magnitude else magnitude)

quoted :: Parser String
quoted = between (char '"') (char '"') (many plain)
  where
    plain = satisfy (\c -> c /= '"' && c /= '\\')

-- | Parses all of a text.
parse :: String -> Either ParseError Value
parse source = fst <$> runParser (spaces *> value <* end) start
  where
    start = State source (Position 1 1)
    end = Parser $ \state ->
      if null (rest state)
        then Right ((), state)
        else Left (Unexpected (head (rest state)) (position state))

parseFile :: FilePath -> IO (Either ParseError Value)
parseFile path = do
  contents <- readFile path
  when (null contents) $
    putStrLn ("leere Datei – " ++ path)
  let result = parse contents
  case result of
    Left err -> print err
    Right v -> putStrLn (pretty v)
  return result

-- | Looks a path up: @lookupPath ["a", "b"]@.
lookupPath :: [Key] -> Value -> Maybe Value
lookupPath [] v = Just v
lookupPath (key : keys) (Object table) =
  Map.lookup key table >>= lookupPath keys
lookupPath _ _ = Nothing

eval :: Expr a -> a
eval = \case
  IntE n -> n
  BoolE b -> b
  If c t e
    | eval c -> eval t
    | otherwise -> eval e

depth :: Value -> Int
depth (List xs) = 1 + maximum (0 : map depth xs)
depth (Object t) = 1 + maximum (0 : [depth v | (_, v) <- Map.toList t, v /= Null])
depth _ = 0

applyAll :: (forall a. [a] -> Int) -> ([Int], String) -> (Int, Int)
applyAll f (xs, s) = (f xs, f s)

merge :: Value -> Value -> Value
merge (Object a) (Object b) = Object (Map.unionWith merge a b)
merge _ newer = newer

classify :: Int -> String
classify n
  | n < small = "klein"
  | n < large, even n = "gerade"
  | Just name <- lookup n names = name
  | otherwise = "groß"
  where
    small = 10
    large = 100
    names = [(101, "viele"), (102, "sehr viele")]

isName :: String -> Bool
isName (c : cs) = isAlpha c && all (`elem` "_-" ++ ['a' .. 'z']) cs
isName [] = False

multiline :: String
multiline = "eine Zeile \
            \und noch eine"

type family Elem c
type instance Elem [e] = e

foreign import ccall "math.h sin" c_sin :: Double -> Double

later :: Int -> Int
later = error "not implemented"

todo' :: Value
todo' = undefined

main :: IO ()
main = do
  result <- parseFile "config.json"
  either (const (return ())) (mapM_ putStrLn . lines . pretty) result
  mapM_ (\n -> putStrLn (classify n)) [1, 50, 101]

-- | A stack that remembers how deep it was.
newtype Stack s = Stack ([s], Int)

push :: s -> Stack s -> Stack s
push x (Stack (xs, deepest)) = Stack (x : xs, max deepest (length xs + 1))

pop :: Stack s -> Maybe (s, Stack s)
pop (Stack ([], _)) = Nothing
pop (Stack (x : xs, deepest)) = Just (x, Stack (xs, deepest))

{- A loop without a loop:
   -- the comment nests {- like this -} -}
countdown :: Int -> [Int]
countdown n
  | n <= 0 = []
countdown n = n : countdown (n - 1)

swap :: (a, b) -> (b, a)
swap ~(x, y) = (y, x)

strict :: Int -> Int
strict !n = n `seq` n + 1

first, second :: (a, a) -> a
first (x, _) = x
second (_, y) = y

third :: (a, b, c) -> c
third (_, _, z) = z
