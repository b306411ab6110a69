package robustness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"codeintel/internal/search"
)

// warehouse is a small tree as Japanese companies have them: comments, strings
// and some names in Japanese, in several languages.
var warehouse = map[string]string{
	"zaiko/zaiko.go": `package zaiko

// 在庫管理 は倉庫の在庫を管理する構造体です。
type 在庫管理 struct {
	倉庫名 string // 倉庫の名前
	stock map[string]int
}

// HikiateStock は受注に対して在庫を引き当てる。
// 数量が足りない場合はエラーを返します。
func HikiateStock(m *在庫管理, code string, 数量 int) error {
	if m.stock[code] < 数量 {
		return errorf("在庫が不足しています: %s", code)
	}
	m.stock[code] -= 数量
	return nil
}

// errorf はメッセージを作る。
func errorf(format string, args ...any) error { return nil }
`,
	"src/juchu.py": `# 受注処理のモジュール
class 受注:
    """受注を表すクラス。顧客と明細を持つ。"""

    def __init__(self, 顧客):
        self.顧客 = 顧客
        self.明細 = []

    def add_meisai(self, 商品コード, 数量):
        """明細を追加する。数量は正の整数であること。"""
        if 数量 <= 0:
            raise ValueError("数量が不正です")
        self.明細.append((商品コード, 数量))


def shukka(order):
    """出荷を実行して送り状を印刷する。"""
    order.add_meisai("A-001", 3)
    return "出荷完了"
`,
	"java/Seikyu.java": `package jp.co.example;

/** 請求書を作成するクラス。消費税の計算もここで行う。 */
public class Seikyu {
    private int 合計金額 = 0;

    /** 消費税込みの金額を計算する。 */
    public int calcZeikomi(int 金額) {
        int 税 = 金額 / 10; // 端数は切り捨て
        合計金額 += 金額 + 税;
        return 合計金額;
    }

    public String title() {
        return "請求書";
    }
}
`,
	"c/kaikei.c": `#include <stdio.h>

/* 会計年度を締める処理。表示と機能に注意（ソ、能、表は二バイト目が逆斜線）。 */
int shime_shori(int nendo)
{
    printf("締め処理を開始します: %d\n", nendo);
    return nendo + 1; /* 翌年度 */
}

int main(void)
{
    return shime_shori(2024);
}
`,
	"php/login.php": `<?php
// ログイン画面の認証処理
class Ninsho {
    // パスワードを検証する
    public function kensho($user, $pass) {
        if ($pass === '') {
            return 'パスワードを入力してください';
        }
        return true;
    }
}
`,
	"web/画面.js": `// 画面の表示を更新する
export function koshinGamen(データ) {
  const 件名 = "一覧";
  return 件名 + データ.length;
}
`,
}

// TestEncodingsAgree asks the same questions about one tree in five encodings. The
// answers are the same, including lines, snippets and order.
func TestEncodingsAgree(t *testing.T) {
	encodings := map[string]encoding.Encoding{
		"utf-8": nil, "utf-8 with mark": unicode.UTF8BOM, "shift_jis": japanese.ShiftJIS, "euc-jp": japanese.EUCJP,
		"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	}
	var want []string
	for _, name := range []string{"utf-8", "utf-8 with mark", "shift_jis", "euc-jp", "utf-16le", "utf-16be"} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for path, text := range warehouse {
				if e := encodings[name]; e != nil {
					var err error
					if text, err = e.NewEncoder().String(text); err != nil {
						t.Fatal(err)
					}
				}
				put(t, root, path, text)
			}
			g := openEngine(t, root)
			if r := g.sync(t); r.Files != len(warehouse) || r.Failed > 0 {
				t.Fatalf("%+v", r)
			}
			got := transcript(t, g)
			if want == nil {
				want = got
				if text := strings.Join(got, "\n"); !strings.Contains(text, "在庫が不足しています") || !strings.Contains(text, "shime_shori") {
					t.Fatalf("the answers show nothing:\n%s", text)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("not as in UTF-8 (-utf-8 +this):\n%s", d)
			}
		})
	}
}

// transcript is what all kinds of questions get for answers, without what differs
// from index to index.
func transcript(t *testing.T, g *engine) (out []string) {
	t.Helper()
	ctx := t.Context()
	add := func(question string, answer any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		b, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, question+": "+string(b))
	}
	for _, p := range []string{"在庫", "数量", "処理", "能、表", "パスワード", "return", "端数は切り捨て", "顧客"} {
		a, err := g.e.Text(ctx, search.TextQuery{Pattern: search.OneOrMore{p}, Context: 1})
		if err == nil && len(a.Matches) == 0 {
			t.Errorf("text %q is not found", p)
		}
		add("text "+p, a.Matches, err)
	}
	for _, s := range []string{"在庫管理", "HikiateStock", "受注", "add_meisai", "calcZeikomi", "合計金額", "shime_shori", "kensho", "koshinGamen", "顧客"} {
		d, err := g.e.Definitions(ctx, search.DefinitionsQuery{Symbol: s})
		add("definitions "+s, d.Definitions, err)
		r, err := g.e.References(ctx, search.ReferencesQuery{Symbol: s})
		add("references "+s, r.References, err)
	}
	for path := range warehouse {
		a, err := g.e.Structure(ctx, search.StructureQuery{Where: search.Where{Path: path}})
		if err == nil && (len(a.Files) != 1 || len(a.Files[0].Symbols) == 0) {
			t.Errorf("%s has no outline", path)
		}
		add("structure "+path, a.Files, err)
		s, err := g.e.Symbols(ctx, search.SymbolsQuery{Path: path})
		add("symbols "+path, s.Symbols, err)
	}
	for _, q := range []string{"在庫を引き当てる", "消費税の計算", "パスワードの検証", "出荷の実行", "会計年度を締める", "order line items"} {
		a, err := g.e.Semantic(ctx, search.SemanticQuery{Query: q})
		for i := range a.ForestHits {
			h := &a.ForestHits[i]
			c, err := g.e.ChunkDetail(ctx, search.ChunkQuery{ChunkID: h.ChunkID})
			if err != nil {
				t.Fatal(err)
			}
			add(fmt.Sprint("chunk ", h.ChunkID), []any{c.Content, c.ContentAt, c.Fingerprint, c.Doc}, nil)
		}
		add("semantic "+q, a.ForestHits, err)
	}
	slices.Sort(out)
	return out
}

// english is a tree without a word of Japanese.
var english = map[string]string{
	"auth/login.go":       "package auth\n\n// Login authenticates a user by name and password.\nfunc Login(user, password string) error { return verifyPassword(user, password) }\n\nfunc verifyPassword(user, password string) error { return nil }\n",
	"auth/session.go":     "package auth\n\n// ExpireSession ends a session that timed out.\nfunc ExpireSession(id string) {}\n",
	"cache/cache.go":      "package cache\n\n// Invalidate removes an entry from the cache.\nfunc Invalidate(key string) {}\n",
	"config/config.go":    "package config\n\n// LoadConfig reads the configuration file.\nfunc LoadConfig(path string) error { return nil }\n",
	"db/connect.go":       "package db\n\n// Connect opens a connection to the database.\nfunc Connect(dsn string) error { return nil }\n",
	"db/transaction.go":   "package db\n\n// Rollback undoes a transaction.\nfunc Rollback() error { return nil }\n",
	"files/upload.go":     "package files\n\n// UploadFile stores an uploaded file.\nfunc UploadFile(name string) error { return nil }\n",
	"files/compress.go":   "package files\n\n// Compress packs data with gzip.\nfunc Compress(data []byte) []byte { return nil }\n",
	"http/retry.go":       "package http\n\n// RetryRequest sends a request again after an error.\nfunc RetryRequest(n int) error { return nil }\n",
	"http/timeout.go":     "package http\n\n// SetTimeout limits how long a request may take.\nfunc SetTimeout(ms int) {}\n",
	"log/logger.go":       "package log\n\n// WriteLog appends a message to the log.\nfunc WriteLog(msg string) {}\n",
	"mail/send.go":        "package mail\n\n// SendMail delivers an email message.\nfunc SendMail(to, body string) error { return nil }\n",
	"order/cart.go":       "package order\n\n// AddToCart puts a product into the shopping cart.\nfunc AddToCart(product string, quantity int) {}\n",
	"order/price.go":      "package order\n\n// CalculatePrice computes the total price with tax.\nfunc CalculatePrice(amount int) int { return amount }\n",
	"queue/worker.go":     "package queue\n\n// RunWorker takes jobs from the queue and executes them in parallel.\nfunc RunWorker() {}\n",
	"search/find.go":      "package search\n\n// SearchDocuments looks documents up in the index.\nfunc SearchDocuments(query string) []string { return nil }\n",
	"text/parse.go":       "package text\n\n// ParseDate reads a date from a string.\nfunc ParseDate(s string) int { return 0 }\n",
	"text/encode.go":      "package text\n\n// EncodeCharset converts characters to another encoding.\nfunc EncodeCharset(s string) []byte { return nil }\n",
	"user/permission.go":  "package user\n\n// CheckPermission tells whether a user has access.\nfunc CheckPermission(user string) bool { return false }\n",
	"user/delete_user.go": "package user\n\n// DeleteUser removes an account.\nfunc DeleteUser(id int) {}\n",
}

// TestJapaneseFindsEnglish asks in Japanese for code that has none. One question
// in ten may miss the first three.
func TestJapaneseFindsEnglish(t *testing.T) {
	root := t.TempDir()
	for path, text := range english {
		put(t, root, path, text)
	}
	g := openEngine(t, root)
	g.sync(t)
	questions := map[string]string{
		"パスワードの検証": "auth/login.go", "セッションの期限切れ": "auth/session.go", "キャッシュを無効にする": "cache/cache.go",
		"設定ファイルを読み込む": "config/config.go", "データベースに接続する": "db/connect.go", "トランザクションを取り消す": "db/transaction.go",
		"ファイルのアップロード": "files/upload.go", "データを圧縮する": "files/compress.go", "リクエストの再試行": "http/retry.go",
		"タイムアウトの設定": "http/timeout.go", "ログの書き込み": "log/logger.go", "メールを送信する": "mail/send.go",
		"商品をカートに追加": "order/cart.go", "価格の計算": "order/price.go", "キューのジョブを並列に実行": "queue/worker.go",
		"文書を検索する": "search/find.go", "日付の解析": "text/parse.go", "文字コードの変換": "text/encode.go",
		"アクセス権限の確認": "user/permission.go", "ユーザーを削除する": "user/delete_user.go",
	}
	missed := 0
	for q, want := range questions {
		hits, err := g.e.Best(t.Context(), q, 3)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.Chunk.File)
		}
		if !strings.Contains(strings.Join(got, " "), want) {
			t.Logf("%s: %v, want %s", q, got, want)
			missed++
		}
	}
	if missed > len(questions)/10 {
		t.Errorf("%d of %d questions miss", missed, len(questions))
	}
}
