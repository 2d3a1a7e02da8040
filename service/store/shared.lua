-- Functions that all scripts share; inserted after each script's first line.

-- Returns an error if a key has another type than its position in `kinds` says; the keys after
-- those are index lists. Called before anything is written: a wrong type is the only thing that
-- could make a write fail half-way.
local function wrong_type(kinds)
  for i = 1, #KEYS do
    local kind = kinds[i] or 'zset'
    local found = redis.call('TYPE', KEYS[i]).ok
    if found ~= 'none' and found ~= kind then
      return redis.error_reply('CORRUPT ' .. KEYS[i] .. ' is a ' .. found)
    end
  end
end

-- Returns {'gone', why, fact} if there is a tombstone.
local function find_tombstone(key)
  local fact = redis.call('HMGET', key, 'why', 'fact')
  if fact[1] then return {'gone', fact[1], fact[2]} end
end

-- Returns {'key', fingerprint, first, last} if an idempotency key was used, or an error if what is
-- stored of that is malformed.
local function find_key_use(key, name)
  local use = name ~= '' and redis.call('HGET', key, name)
  if not use then return nil end
  local fingerprint, first, last = string.match(use, '^(.*)|(%d+)|(%d+)$')
  if not last then return redis.error_reply('CORRUPT ' .. key .. ' has a broken use') end
  return {'key', fingerprint, tonumber(first), tonumber(last)}
end

-- Returns the server's time (ms since 1970).
local function server_time()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Returns a webhook's member of the due list.
local function webhook_member(game, webhook) return game .. ':hook-' .. webhook end

-- Returns a stream's version and last hash, or nil and an error if the stream is corrupt.
local function read_head(key)
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
local function add_entry(key, version, at)
  redis.call('XADD', key, version .. '-0', 't', ARGV[at], 'v', ARGV[at + 1], 'd', ARGV[at + 2],
    'm', ARGV[at + 3], 'h', ARGV[at + 4])
end

-- Carries out the index operations from ARGV[at] on ("add" or "drop"), one for each key from
-- KEYS[first] on.
local function update_indexes(first, at, game, since)
  for i = first, #KEYS do
    if ARGV[at + i - first] == 'add' then
      redis.call('ZADD', KEYS[i], since, game)
    else
      redis.call('ZREM', KEYS[i], game)
    end
  end
end

-- Returns whether a text is a number that a sorted set accepts as a score.
local function is_number(text)
  local number = tonumber(text)
  return number ~= nil and number == number
end
