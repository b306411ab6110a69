//! Arenas and the small things built on them.
//! Nothing here frees single values.

const std = @import("std");
const builtin = @import("builtin");
const heap = @import("heap/page.zig");
const Allocator = std.mem.Allocator;
const assert = std.debug.assert;

/// How large a page is at least.
pub const min_page: usize = 4096;

const log = std.log.scoped(.arena);
var live_arenas: u32 = 0;
threadlocal var last_error: ?[]const u8 = null;

pub const Error = error{
    /// There is no memory left.
    OutOfMemory,
    TooLarge,
    Geschlossen,
};

/// What a page may be used for.
pub const Purpose = enum(u8) {
    text,
    nodes = 4,
    _,

    pub fn label(self: Purpose) []const u8 {
        return switch (self) {
            .text => "text",
            .nodes => "nodes – Knoten",
            else => "other",
        };
    }
};

pub const Page = struct {
    data: []align(8) u8,
    used: usize = 0,
    purpose: Purpose,
    next: ?*Page = null,

    const Self = @This();

    pub fn init(allocator: Allocator, size: usize, purpose: Purpose) !*Self {
        const page = try allocator.create(Self);
        errdefer allocator.destroy(page);
        page.* = .{
            .data = try allocator.alignedAlloc(u8, 8, @max(size, min_page)),
            .purpose = purpose,
        };
        return page;
    }

    /// Bytes that are left.
    pub fn free(self: *const Self) usize {
        return self.data.len - self.used;
    }

    fn take(self: *Self, n: usize) []u8 {
        assert(n <= self.free());
        const start = self.used;
        self.used += n;
        return self.data[start..self.used];
    }
};

/// Hands out memory that goes all at once.
pub const Arena = struct {
    child: Allocator,
    first: ?*Page = null,
    closed: bool = false,
    stats: Stats = .{},

    pub const Stats = struct {
        pages: usize = 0,
        bytes: u64 = 0,
    };

    pub fn init(child: Allocator) Arena {
        live_arenas += 1;
        return Arena{ .child = child };
    }

    pub fn deinit(self: *Arena) void {
        var page = self.first;
        while (page) |p| {
            page = p.next;
            self.child.free(p.data);
            self.child.destroy(p);
        }
        self.first = null;
        self.closed = true;
        live_arenas -= 1;
    }

    /// Room for n values of type T.
    pub fn alloc(self: *Arena, comptime T: type, n: usize) Error![]T {
        if (self.closed) return error.Geschlossen;
        const size = std.math.mul(usize, @sizeOf(T), n) catch return Error.TooLarge;
        const page = self.first orelse try self.grow(size);
        if (page.free() < size) {
            _ = try self.grow(size);
        }
        const bytes = self.first.?.take(size);
        self.stats.bytes += size;
        return @as([*]T, @ptrCast(@alignCast(bytes.ptr)))[0..n];
    }

    fn grow(self: *Arena, size: usize) Error!*Page {
        const page = Page.init(self.child, size, .text) catch |err| {
            last_error = @errorName(err);
            log.err("no page of {d}: {s}", .{ size, @errorName(err) });
            return error.OutOfMemory;
        };
        page.next = self.first;
        self.first = page;
        self.stats.pages += 1;
        return page;
    }
};

/// A list that grows.
pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        capacity: usize,
        arena: *Arena,

        const Self = @This();
        pub const Item = T;

        pub fn init(arena: *Arena) Self {
            return .{ .items = &[_]T{}, .capacity = 0, .arena = arena };
        }

        pub fn append(self: *Self, item: T) !void {
            if (self.items.len == self.capacity) {
                const wanted = if (self.capacity == 0) 8 else self.capacity * 2;
                const bigger = try self.arena.alloc(T, wanted);
                @memcpy(bigger[0..self.items.len], self.items);
                self.items = bigger[0..self.items.len];
                self.capacity = wanted;
            }
            self.items.len += 1;
            self.items[self.items.len - 1] = item;
        }

        pub fn map(self: Self, comptime U: type, f: *const fn (T) U, out: *List(U)) !void {
            for (self.items, 0..) |item, index| {
                _ = index;
                try out.append(f(item));
            }
        }
    };
}

pub const Value = union(enum) {
    none,
    number: f64,
    text: []const u8,
    list: List(Value),

    pub fn isNone(self: Value) bool {
        return self == .none;
    }

    pub fn format(self: Value, writer: anytype) !void {
        switch (self) {
            .none => try writer.writeAll("none"),
            .number => |n| try writer.print("{d}", .{n}),
            .text => |t| {
                const quoted = try std.fmt.allocPrint(std.heap.page_allocator, "\"{s}\"", .{t});
                defer std.heap.page_allocator.free(quoted);
                try writer.writeAll(quoted);
            },
            .list => |*list| for (list.items) |item| {
                try item.format(writer);
            },
        }
    }
};

const Header = packed struct {
    version: u4,
    kind: u4,
    length: u24,
};

const Handle = opaque {
    extern fn handle_close(h: *Handle) void;

    pub fn close(self: *Handle) void {
        handle_close(self);
    }
};

pub extern "c" fn write(fd: c_int, buffer: [*]const u8, count: usize) isize;

export fn arena_count() callconv(.C) u32 {
    return live_arenas;
}

/// Greatest common divisor.
pub fn gcd(a: u64, b: u64) u64 {
    var x = a;
    var y = b;
    while (y != 0) : (x = x % y) {
        const t = y;
        y = x % y;
        x = t;
    }
    return x;
}

inline fn square(comptime T: type, x: T) T {
    return x * x;
}

fn parseHeader(bytes: []const u8) !Header {
    if (bytes.len < @sizeOf(Header)) {
        return error.TooShort;
    }
    var reader = std.io.fixedBufferStream(bytes);
    const raw = try reader.reader().readInt(u32, .little);
    return @bitCast(raw);
}

fn sum(values: []const i64) i64 {
    var total: i64 = 0;
    outer: for (values) |v| {
        inline for (.{ 1, 2, 3 }) |limit| {
            if (v == limit) continue :outer;
        }
        total +|= v;
    }
    return total;
}

const message =
    \\Erste Zeile
    \\zweite Zeile – mit Strich
;

const table = blk: {
    var entries: [16]u8 = undefined;
    for (&entries, 0..) |*entry, i| {
        entry.* = square(u8, @intCast(i));
    }
    break :blk entries;
};

pub fn describe(value: anytype) []const u8 {
    const T = @TypeOf(value);
    return switch (@typeInfo(T)) {
        .int, .comptime_int => "integer",
        .@"struct" => |info| if (info.is_tuple) "tuple" else @typeName(T),
        .pointer => |pointer| blk: {
            const child = pointer.child;
            break :blk @typeName(child);
        },
        else => comptime unreachable,
    };
}

pub fn later() void {
    @panic("not implemented");
}

pub fn main() !void {
    var gpa = std.heap.GeneralPurposeAllocator(.{}){};
    defer _ = gpa.deinit();
    var arena = Arena.init(gpa.allocator());
    defer arena.deinit();

    var list = List(Value).init(&arena);
    try list.append(.{ .number = 4.5 });
    try list.append(Value{ .text = message });
    if (list.items.len > 1) {
        const first, const second = .{ list.items[0], list.items[1] };
        std.debug.print("{any} {any}\n", .{ first, second });
    } else |unused| {
        _ = unused;
    }
    const stdout = std.io.getStdOut().writer();
    for (list.items) |item| {
        item.format(stdout) catch continue;
    }
    std.debug.print("{d} {d}\n", .{ gcd(12, 18), table[2] });
}

test "an arena hands out what was asked for" {
    var arena = Arena.init(std.testing.allocator);
    defer arena.deinit();
    const numbers = try arena.alloc(u32, 10);
    try std.testing.expectEqual(@as(usize, 10), numbers.len);
    try std.testing.expect(arena.stats.pages == 1);
}

test gcd {
    try std.testing.expectEqual(@as(u64, 6), gcd(12, 18));
}

comptime {
    assert(@sizeOf(Header) == 4);
    _ = builtin.cpu.arch;
    _ = heap;
}
