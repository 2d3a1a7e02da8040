#!lua
-- Appends entries to a game's stream if its last version and hash are as expected.
-- KEYS: stream, keys, gone, due, leases, then one index list for each index operation.
-- ARGV: game, expected version, expected hash, key name, fingerprint, since, channel,
--       number of entries, then t v d m h of each,
--       number of dues, then kind and time ("" clears) of each,
--       "add" or "drop" for each index list.
-- Returns {"won", version}, {"conflict", version}, {"key", fingerprint, first, last},
--         {"gone", why, fact}. Nothing can fail after the first write.

local function expect(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= 'none' and found ~= kind then
    return redis.error_reply('CORRUPT ' .. key .. ' is a ' .. found)
  end
end

local gone = redis.call('TYPE', KEYS[3]).ok
if gone == 'hash' then
  local fact = redis.call('HMGET', KEYS[3], 'why', 'fact')
  return {'gone', fact[1], fact[2]}
end
local fault = expect(KEYS[1], 'stream') or expect(KEYS[2], 'hash') or expect(KEYS[3], 'hash')
  or expect(KEYS[4], 'zset') or expect(KEYS[5], 'hash')
if fault then return fault end
for i = 6, #KEYS do
  fault = expect(KEYS[i], 'zset')
  if fault then return fault end
end

if ARGV[4] ~= '' then
  local use = redis.call('HGET', KEYS[2], ARGV[4])
  if use then
    local fingerprint, first, last = string.match(use, '^(.*)|(%d+)|(%d+)$')
    return {'key', fingerprint, tonumber(first), tonumber(last)}
  end
end

local expected = tonumber(ARGV[2])
local version, hash = 0, string.rep('\0', 32)
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if newest then
  version = tonumber(string.match(newest[1], '^(%d+)-0$')) or -1
  for i = 1, #newest[2], 2 do
    if newest[2][i] == 'h' then hash = newest[2][i + 1] end
  end
end
if version ~= expected or hash ~= ARGV[3] then
  return {'conflict', version}
end

local at = 8
local entries = tonumber(ARGV[at])
for i = 1, entries do
  redis.call('XADD', KEYS[1], (expected + i) .. '-0',
    't', ARGV[at + 1], 'v', ARGV[at + 2], 'd', ARGV[at + 3], 'm', ARGV[at + 4], 'h', ARGV[at + 5])
  at = at + 5
end
version = expected + entries
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5] .. '|' .. (expected + 1) .. '|' .. version)
end
at = at + 1
for i = 1, tonumber(ARGV[at]) do
  local member = ARGV[1] .. ':' .. ARGV[at + 1]
  if ARGV[at + 2] == '' then
    redis.call('ZREM', KEYS[4], member)
  else
    redis.call('ZADD', KEYS[4], ARGV[at + 2], member)
  end
  redis.call('HDEL', KEYS[5], member)
  at = at + 2
end
for i = 6, #KEYS do
  at = at + 1
  if ARGV[at] == 'add' then
    redis.call('ZADD', KEYS[i], ARGV[6], ARGV[1])
  else
    redis.call('ZREM', KEYS[i], ARGV[1])
  end
end
redis.call('PUBLISH', ARGV[7], ARGV[1] .. ' ' .. version)
return {'won', version}
