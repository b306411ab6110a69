//
//  Player.swift – plays what is in a queue.
//

import Foundation
import struct CoreGraphics.CGFloat
@testable import MediaKit

/// How loud it may get.
public let maximumVolume = 11.0

private let köln = "Köln"
var activePlayers: [String: Player] = [:]

public typealias Completion<T> = (Result<T, PlayerError>) -> Void

/// What can go wrong.
///
/// - Note: a retry helps only with `timeout`.
public enum PlayerError: Error, Equatable {
    case notFound(name: String)
    case timeout(seconds: Int), cancelled
    /// The file is broken.
    case corrupt

    var isFatal: Bool {
        switch self {
        case .notFound, .corrupt:
            return true
        case .timeout(let seconds) where seconds > 10:
            return true
        default:
            return false
        }
    }
}

enum Genre: String, CaseIterable {
    case jazz = "Jazz"
    case klassik = "Klassik 🎻"

    static func named(_ name: String) -> Genre? {
        allCases.first { $0.rawValue == name }
    }
}

/// Something that can be heard.
public protocol Playable: AnyObject {
    associatedtype Source: Hashable
    var title: String { get }
    var duration: TimeInterval { get set }
    func load(from source: Source) throws -> Data
    static func make(title: String) -> Self
}

extension Playable {
    /// Minutes and seconds.
    var clock: String {
        let minutes = Int(duration) / 60
        let seconds = Int(duration) % 60
        return String(format: "%d:%02d", minutes, seconds)
    }

    func isLonger<P: Playable>(than other: P) -> Bool where P.Source == Source {
        return duration > other.duration
    }
}

public struct Track: Hashable, Codable {
    public let id: UUID
    public var title: String
    var artist: String = "unknown"
    private(set) var plays = 0
    fileprivate var rating: Int? {
        didSet {
            if let old = oldValue, old != rating {
                print("rating was \(old)")
            }
        }
    }

    static let empty = Track(title: "")

    enum CodingKeys: String, CodingKey {
        case id, title, artist
    }

    public init(id: UUID = UUID(), title: String) {
        self.id = id
        self.title = title
    }

    /// Counts one more.
    mutating func played() {
        plays += 1
    }

    public static func == (lhs: Track, rhs: Track) -> Bool {
        lhs.id == rhs.id
    }

    subscript(index: Int) -> Character {
        get { Array(title)[index] }
        set(newCharacter) {
            var characters = Array(title)
            characters[index] = newCharacter
            title = String(characters)
        }
    }
}

/* A queue that
   never blocks. */
final class Queue<Element> where Element: Hashable {
    private var items: [Element] = []
    private var seen = Set<Element>()

    var count: Int { items.count }
    var isEmpty: Bool { return items.isEmpty }

    @discardableResult
    func push(_ item: Element) -> Bool {
        guard seen.insert(item).inserted else {
            return false
        }
        items.append(item)
        return true
    }

    func pop() -> Element? {
        guard !items.isEmpty else { return nil }
        return items.removeFirst()
    }

    deinit {
        items.removeAll()
    }
}

@propertyWrapper
struct Clamped {
    private var value: Double
    private let range: ClosedRange<Double>

    init(wrappedValue: Double, _ range: ClosedRange<Double>) {
        self.range = range
        self.value = min(max(wrappedValue, range.lowerBound), range.upperBound)
    }

    var wrappedValue: Double {
        get { value }
        set { value = min(max(newValue, range.lowerBound), range.upperBound) }
    }
}

/// Plays tracks, one after the other.
open class Player: NSObject {
    public enum State {
        case idle
        case playing(Track, since: Date)
        case paused
    }

    public typealias Observer = (State) -> Void

    @Clamped(0...maximumVolume) var volume: Double = 5
    public private(set) var state: State = .idle
    let queue = Queue<Track>()
    weak var delegate: PlayerDelegate?
    lazy var cache: [UUID: Data] = {
        var initial = [UUID: Data]()
        initial.reserveCapacity(16)
        return initial
    }()
    private var observers: [Observer] = []

    public override init() {
        super.init()
        activePlayers["default"] = self
    }

    public convenience init?(tracks: [Track]) {
        guard !tracks.isEmpty else { return nil }
        self.init()
        tracks.forEach { queue.push($0) }
    }

    open func observe(_ observer: @escaping Observer) {
        observers.append(observer)
    }

    /// Plays the next track.
    ///
    /// - Parameter completion: told when it has begun
    /// - Returns: whether there was one
    @discardableResult
    public func next(after delay: TimeInterval = 0, completion: Completion<Track>? = nil) -> Bool {
        guard let track = queue.pop() else {
            state = .idle
            completion?(.failure(.notFound(name: köln)))
            return false
        }
        var current = track
        current.played()
        state = .playing(current, since: Date())
        for observer in observers {
            observer(state)
        }
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            self.delegate?.player(self, didStart: current)
            completion?(.success(current))
        }
        return true
    }

    func fetch(_ url: URL, retries: Int = 3) async throws -> Data {
        var lastError: Error?
        for attempt in 0..<retries {
            do {
                let (data, response) = try await URLSession.shared.data(from: url)
                if let http = response as? HTTPURLResponse, http.statusCode == 200 {
                    return data
                }
            } catch let error as PlayerError where error.isFatal {
                throw error
            } catch {
                lastError = error
                print("attempt \(attempt) failed: \(error)")
            }
        }
        throw lastError ?? PlayerError.timeout(seconds: retries)
    }

    private func describe() -> String {
        let text = """
            Player “\(köln)”
              volume \(volume), \(queue.count) to come
            """
        return text + #"raw \n text"#
    }

    #if DEBUG
    func dump() {
        print(describe())
    }
    #endif
}

public protocol PlayerDelegate: AnyObject {
    func player(_ player: Player, didStart track: Track)
    func playerDidStop(_ player: Player)
}

extension Player: PlayerDelegate {
    public func player(_ player: Player, didStart track: Track) {
        log("started \(track.title)")
    }

    public func playerDidStop(_ player: Player) {}

    fileprivate func log(_ message: String) {
        print("[player] " + message)
    }
}

infix operator <>: AdditionPrecedence

func <> <T>(left: [T], right: [T]) -> [T] {
    return left + right
}

actor Counter {
    private var counts: [String: Int] = [:]

    func increment(_ key: String, by amount: Int = 1) -> Int {
        counts[key, default: 0] += amount
        return counts[key]!
    }

    nonisolated func name() -> String { "counter" }
}

func longest<S: Sequence>(_ tracks: S) -> Track? where S.Element == Track {
    tracks.max { left, right in left.title.count < right.title.count }
}

func swapTitles(_ first: inout Track, _ second: inout Track) {
    let title = first.title
    first.title = second.title
    second.title = title
}

@MainActor
func run(arguments: [String]) async {
    let genres = arguments.compactMap(Genre.init(rawValue:))
    let counter = Counter()
    func report(_ genre: Genre) async {
        let number = await counter.increment(genre.rawValue)
        print("\(genre): \(number)")
    }
    for case let genre in genres where genre != .jazz {
        await report(genre)
    }
    var tracks = [Track(title: "So What"), Track(title: "Grüße")]
    swapTitles(&tracks[0], &tracks[1])
    let player = Player(tracks: tracks)
    player?.observe { state in
        if case .playing(let track, _) = state {
            print(track.title)
        }
    }
    let length = longest(tracks)?.title.count ?? 0
    let names = tracks.map(\.title).sorted(by: <)
    print(length, names, player?.next(after: 1) ?? false)
}

func later() -> Int {
    fatalError("not implemented yet")
}
