#!lua
-- Adds, changes or removes a webhook beside a game's stream, if it still is as expected.
-- KEYS: stream, keys, gone, due, leases, webhooks, deliveries.
-- ARGV: game, webhook, value before, value after ("": none), time its work is due from ("": now, if
--       the stream is beyond the cursor; "keep": as it is), how many webhooks there must be
--       ("": any), key name, fingerprint, number of a delivery ("": none), the bytes to keep of it,
--       how many deliveries are kept.
-- Returns {"won"}, {"conflict"}, {"key", fingerprint, first, last}, {"gone", why, fact}.
local fault = wrong_type({'stream', 'hash', 'hash', 'zset', 'hash', 'hash', 'hash'})
if fault then return fault end
local gone = find_tombstone(KEYS[3])
if gone then return gone end
local use = find_key_use(KEYS[2], ARGV[7])
if use then return use end
local version, corrupt = read_head(KEYS[1])
if not version then return corrupt end
local game, webhook, after = ARGV[1], ARGV[2], ARGV[4]
local before = redis.call('HGET', KEYS[6], webhook) or ''
if version == 0 or before ~= ARGV[3] then return {'conflict'} end
if ARGV[6] ~= '' and redis.call('HLEN', KEYS[6]) ~= tonumber(ARGV[6]) then return {'conflict'} end
local keep = ARGV[5] == 'keep'
if ARGV[5] ~= '' and not keep and not is_number(ARGV[5]) then
  return redis.error_reply('ERR a due time is not a number')
end

if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], ARGV[7], ARGV[8] .. '|0|0') end
if ARGV[9] ~= '' then
  redis.call('HSET', KEYS[7], webhook .. ':' .. ARGV[9], ARGV[10])
  redis.call('HDEL', KEYS[7], webhook .. ':' .. (tonumber(ARGV[9]) - tonumber(ARGV[11])))
end
local due, cursor
if after == '' then
  redis.call('HDEL', KEYS[6], webhook)
  local own = webhook .. ':'
  for _, name in ipairs(redis.call('HKEYS', KEYS[7])) do
    if string.sub(name, 1, #own) == own then redis.call('HDEL', KEYS[7], name) end
  end
else
  redis.call('HSET', KEYS[6], webhook, after)
  cursor = tonumber(string.match(after, '^(%d+)|'))
  if cursor and ARGV[5] ~= '' then
    due = ARGV[5]
  elseif cursor and version > cursor then
    due = server_time()
  end
end
if keep and cursor then return {'won'} end
local member = webhook_member(game, webhook)
if due then
  redis.call('ZADD', KEYS[4], due, member)
else
  redis.call('ZREM', KEYS[4], member)
end
redis.call('HDEL', KEYS[5], member)
return {'won'}
