#!lua
-- Appends entries to a game's stream if its last version and hash are as expected.
-- KEYS: stream, keys, gone, due, leases, webhooks, deliveries, then the list of each index
--       operation.
-- ARGV: game, expected version, expected hash, key name, fingerprint, since, channel,
--       time it was decided by ("": not an estimate), how far that may lie ahead and behind (ms),
--       number of entries, then t v d m h of each,
--       number of due times, then kind and time ("" clears) of each,
--       "add" or "drop" for each index list.
-- Returns {"won", version, time}, {"conflict", version}, {"key", fingerprint, first, last},
--         {"gone", why, fact}. Nothing can fail after the first write.

local fault = wrong_type({'stream', 'hash', 'hash', 'zset', 'hash', 'hash', 'hash'})
if fault then return fault end
local gone = find_tombstone(KEYS[3])
if gone then return gone end

local use = find_key_use(KEYS[2], ARGV[4])
if use then return use end

local expected, entries = tonumber(ARGV[2]), tonumber(ARGV[11])
local version, hash = read_head(KEYS[1])
if not version then return hash end
if version ~= expected or hash ~= ARGV[3] then return {'conflict', version} end
local time = server_time()
if ARGV[8] ~= '' then
  local late = time - tonumber(ARGV[8])
  if late < -tonumber(ARGV[9]) or late > tonumber(ARGV[10]) then return {'conflict', version} end
end

local due_count = 12 + 5 * entries
local operations = due_count + 1 + 2 * tonumber(ARGV[due_count])
for at = due_count + 2, operations - 1, 2 do
  if ARGV[at] ~= '' and not is_number(ARGV[at]) then
    return redis.error_reply('ERR a due time is not a number')
  end
end
if not is_number(ARGV[6]) then return redis.error_reply('ERR since is not a number') end

for i = 1, entries do add_entry(KEYS[1], expected + i, 7 + 5 * i) end
version = expected + entries
if ARGV[4] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5] .. '|' .. (expected + 1) .. '|' .. version)
end
for at = due_count + 1, operations - 1, 2 do
  local member = ARGV[1] .. ':' .. ARGV[at]
  if ARGV[at + 1] == '' then
    redis.call('ZREM', KEYS[4], member)
  else
    redis.call('ZADD', KEYS[4], ARGV[at + 1], member)
  end
  redis.call('HDEL', KEYS[5], member)
end
-- Webhooks whose work is due already keep their time: they are being served, or wait for a retry.
local webhooks = redis.call('HGETALL', KEYS[6])
for at = 1, #webhooks, 2 do
  if string.sub(webhooks[at + 1], 1, 1) ~= '|' then
    redis.call('ZADD', KEYS[4], 'NX', time, webhook_member(ARGV[1], webhooks[at]))
  end
end
update_indexes(8, operations, ARGV[1], ARGV[6])
-- The announcement is only a hint: it must not turn a written append into an error.
redis.pcall('PUBLISH', ARGV[7], ARGV[1] .. ' ' .. version)
return {'won', version, time}
