-- What the scripts share; it follows each one's first line.

-- Returns an error if a key is there with another type than its place in `kinds` says; the keys
-- after those are index lists. Called before anything is written: a wrong type is the one thing
-- that could make a write fail half-way.
local function misfit(kinds)
  for i = 1, #KEYS do
    local kind = kinds[i] or 'zset'
    local found = redis.call('TYPE', KEYS[i]).ok
    if found ~= 'none' and found ~= kind then
      return redis.error_reply('CORRUPT ' .. KEYS[i] .. ' is a ' .. found)
    end
  end
end

-- Returns {'gone', why, fact} where a tombstone stands.
local function tombstone(key)
  local fact = redis.call('HMGET', key, 'why', 'fact')
  if fact[1] then return {'gone', fact[1], fact[2]} end
end

-- Returns {'key', fingerprint, first, last} where a key was used, or an error for a broken use.
local function used(key, name)
  local use = name ~= '' and redis.call('HGET', key, name)
  if not use then return nil end
  local fingerprint, first, last = string.match(use, '^(.*)|(%d+)|(%d+)$')
  if not last then return redis.error_reply('CORRUPT ' .. key .. ' has a broken use') end
  return {'key', fingerprint, tonumber(first), tonumber(last)}
end

-- Returns the time (ms since 1970).
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Returns the member of the due list that a webhook is.
local function hooked(game, hook) return game .. ':hook-' .. hook end

-- Returns a stream's version and last hash, or nil and an error where they can't be right.
local function head(key)
  if redis.call('EXISTS', key) == 0 then return 0, string.rep('\0', 32) end
  local about, info = redis.call('XINFO', 'STREAM', key), {}
  for i = 1, #about, 2 do info[about[i]] = about[i + 1] end
  local version, newest = info['length'], info['last-entry']
  local name = version .. '-0'
  if not newest or newest[1] ~= name or info['last-generated-id'] ~= name then
    return nil, redis.error_reply('CORRUPT ' .. key .. ' has gaps')
  end
  for i = 1, #newest[2], 2 do
    if newest[2][i] == 'h' then return version, newest[2][i + 1] end
  end
  return nil, redis.error_reply('CORRUPT ' .. key .. ' has an entry without a hash')
end

-- Adds an entry whose five fields begin at ARGV[at].
local function add(key, version, at)
  redis.call('XADD', key, version .. '-0', 't', ARGV[at], 'v', ARGV[at + 1], 'd', ARGV[at + 2],
    'm', ARGV[at + 3], 'h', ARGV[at + 4])
end

-- Does the index operations from ARGV[at] on ("add" or "drop"), one for each of the last keys.
local function reindex(first, at, game, since)
  for i = first, #KEYS do
    if ARGV[at + i - first] == 'add' then
      redis.call('ZADD', KEYS[i], since, game)
    else
      redis.call('ZREM', KEYS[i], game)
    end
  end
end

-- Returns whether a text is a number that can order a list.
local function orders(text)
  local number = tonumber(text)
  return number ~= nil and number == number
end
