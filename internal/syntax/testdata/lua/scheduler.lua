#!/usr/bin/env lua
-- A small scheduler: tasks are coroutines, timers are a heap.

local heap = require("lib.heap")
local log = require "lib.log"
local unpack = table.unpack or unpack
local socket <const> = require("socket")

--- How many tasks may wait at once.
local MAX_TASKS = 256

VERSION = "1.2 – früh"

local M = {
  _VERSION = VERSION,
  default_delay = 0.5,
  ["odd key"] = true,
}

--- A task.
-- @field name how it is called
-- @field co its coroutine
local Task = {}
Task.__index = Task

--- Makes a task.
-- @param name string
-- @param body function
-- @return Task
function Task.new(name, body)
  local self = setmetatable({}, Task)
  self.name = name
  self.co = coroutine.create(body)
  self.wakes_at = 0
  return self
end

function Task:resume(...)
  local ok, value = coroutine.resume(self.co, ...)
  if not ok then
    log.error("task %s: %s", self.name, value)
    self.failed = true
    return nil, value
  end
  return value
end

function Task:is_dead()
  return coroutine.status(self.co) == "dead"
end

Task.__tostring = function(self)
  return "Task(" .. self.name .. ")"
end

Task.__lt = function(a, b) return a.wakes_at < b.wakes_at end

--- Runs tasks.
local Scheduler = setmetatable({}, { __call = function(cls, ...) return cls.new(...) end })
Scheduler.__index = Scheduler

local function compare(a, b)
  return a.wakes_at < b.wakes_at
end

function Scheduler.new(options)
  options = options or {}
  local scheduler = {
    tasks = {},
    timers = heap.new(compare),
    clock = options.clock or socket.gettime,
    on_idle = function() end,
    count = 0,
  }
  return setmetatable(scheduler, Scheduler)
end

--- Adds a task.
function Scheduler:spawn(name, body, ...)
  assert(type(body) == "function", "a task needs a function")
  if self.count >= MAX_TASKS then
    error("too many tasks", 2)
  end
  local arguments = { ... }
  local n = select("#", ...)
  local task = Task.new(name, function()
    return body(unpack(arguments, 1, n))
  end)
  self.tasks[#self.tasks + 1] = task
  self.count = self.count + 1
  return task
end

function Scheduler:sleep(task, seconds)
  task.wakes_at = self.clock() + seconds
  self.timers:push(task)
  coroutine.yield("sleep")
end

function Scheduler:step()
  local now = self.clock()
  local ready = {}
  while true do
    local first = self.timers:peek()
    if not first or first.wakes_at > now then
      break
    end
    ready[#ready + 1] = self.timers:pop()
  end
  for _, task in ipairs(ready) do
    task:resume(now)
  end
  for i = #self.tasks, 1, -1 do
    local task = self.tasks[i]
    if task:is_dead() then
      table.remove(self.tasks, i)
      self.count = self.count - 1
      goto continue
    end
    task:resume()
    ::continue::
  end
  return self.count > 0
end

function Scheduler:run(limit)
  local steps = 0
  repeat
    local more = self:step()
    steps = steps + 1
    if limit and steps > limit then
      log.warn([[stopped after
%d steps]], steps)
      break
    end
  until not more
  self.on_idle()
  return steps
end

--[[ Channels let tasks talk.
They never copy. ]]
local Channel = {}
Channel.__index = Channel

function Channel.new(size)
  return setmetatable({ size = size or 1, first = 1, last = 0, values = {} }, Channel)
end

function Channel:put(value)
  while self.last - self.first + 1 >= self.size do
    coroutine.yield("full")
  end
  self.last = self.last + 1
  self.values[self.last] = value
end

function Channel:get()
  while self.last < self.first do
    coroutine.yield("empty")
  end
  local value = self.values[self.first]
  self.values[self.first] = nil
  self.first = self.first + 1
  return value
end

-- Iterates over what comes until nil comes.
function Channel:each()
  return function()
    return self:get()
  end
end

M.Task = Task
M.Channel = Channel
M.new = Scheduler.new

function M.pipeline(...)
  local stages = { ... }
  return function(input)
    local value = input
    for index = 1, #stages do
      value = stages[index](value)
    end
    return value
  end
end

function M.map(list, fn)
  local out = {}
  for key, item in pairs(list) do
    out[key] = fn(item, key)
  end
  return out
end

function M.memoize(fn)
  local cache = setmetatable({}, { __mode = "k" })
  return function(argument)
    local known = cache[argument]
    if known == nil then
      known = fn(argument)
      cache[argument] = known
    end
    return known
  end
end

local function walk(tree, visit, depth)
  depth = depth or 0
  visit(tree, depth)
  for _, child in ipairs(tree.children or {}) do
    walk(child, visit, depth + 1)
  end
end

function M.print_tree(tree)
  walk(tree, function(node, depth)
    print(string.rep("  ", depth) .. node.name)
  end)
end

--- Escapes what a shell would read.
---@param text string
---@return string
function M.quote(text)
  local escaped = text:gsub("[%c\"\\]", function(c)
    return string.format("\\%03d", c:byte())
  end)
  return '"' .. escaped .. '"'
end

function M.parse(line)
  local key, value = line:match("^%s*([%w_]+)%s*=%s*(.-)%s*$")
  if not key then
    return nil, "Zeile ohne Schlüssel: " .. line
  end
  local number = tonumber(value)
  if number then
    value = number
  elseif value == "true" or value == "false" then
    value = value == "true"
  end
  return key, value
end

M.config = {
  level = "info",
  sinks = {
    { kind = "file", path = "/tmp/log" },
    { kind = "stderr" },
  },
  format = function(entry)
    return entry.level:upper() .. " " .. entry.text
  end,
}

function M.configure(changes)
  for key, value in pairs(changes) do
    M.config[key] = value
  end
  M.config.level = changes.level or M.config.level
  return M.config
end

function M.load(path)
  local file <close> = assert(io.open(path, "r"))
  local settings = {}
  for line in file:lines() do
    local key, value = M.parse(line)
    if key then settings[key] = value end
  end
  return settings
end

function M.later()
  error("not implemented")
end

local counter = 0

local function next_name(prefix)
  counter = counter + 1
  return (prefix or "task") .. "-" .. counter
end

function global_helper(scheduler, times)
  local a <const>, b = 1, 2
  do
    local a = a + b
    times = times * a
  end
  for _ = 1, times do
    scheduler:spawn(next_name(), function()
      scheduler:sleep(scheduler.tasks[1], M.default_delay)
    end)
  end
  return times & 0xFF, times // 2, ~times
end

if arg and arg[0] and arg[0]:find("scheduler") then
  local main = Scheduler { clock = os.clock }
  global_helper(main, 3)
  main:run(1000)
  print(VERSION, M.quote("Grüße"))
end

return M
