#!/usr/bin/env ruby
# The small Twitter of "Cassandra by example" at the command line.
#
#     ruby -Ilib -Igen examples/twissandra.rb schema [REPLICATION-FACTOR]
#     ruby -Ilib -Igen examples/twissandra.rb signup NAME
#     ruby -Ilib -Igen examples/twissandra.rb follow|unfollow NAME OTHER
#     ruby -Ilib -Igen examples/twissandra.rb tweet NAME TEXT
#     ruby -Ilib -Igen examples/twissandra.rb userline|timeline NAME [START]
#
# It shares its rows with the web application in ../python/examples. COLONNADE_NODES are the nodes, 127.0.0.1:9160
# without it; TWISSANDRA_KEYSPACE is the keyspace, Twissandra without it.

require "colonnade"
require "securerandom"

class Twissandra
  PAGE = 10
  BATCH = 500
  FAMILIES = {
    "User" => "UTF8Type", "Username" => "BytesType", "Friends" => "BytesType", "Followers" => "BytesType",
    "Tweet" => "UTF8Type", "Userline" => "LongType", "Timeline" => "LongType",
  }.freeze

  class Refused < StandardError; end

  def initialize(store, keyspace)
    @store, @keyspace = store, keyspace
    @users, @usernames, @friends, @followers, @tweets, @userlines, @timelines =
      FAMILIES.keys.map { |name| store.family(keyspace, name) }
  end

  def schema(replication_factor = "1")
    families = FAMILIES.map { |name, comparator| Colonnade::FamilyDefinition.new(name, comparator) }
    @store.create_keyspace(@keyspace, families, replication_factor: Integer(replication_factor))
  end

  # Of two who sign up with one name at the same moment the later one gets it; the web application shows how to prevent
  # that.
  def signup(name)
    raise Refused, "the name #{name} is taken" if @usernames.get(name, "id")

    change do |batch, now|
      id = SecureRandom.uuid
      batch.put(@users, id, "id", id, timestamp: now)
      batch.put(@users, id, "username", name, timestamp: now)
      batch.put(@usernames, name, "id", id, timestamp: now)
    end
  end

  # Writes the relation down from either side, because there is no index to ask instead.
  def follow(name, other)
    user, followed = user_id(name), user_id(other)
    change do |batch, now|
      batch.put(@friends, user, followed, now, timestamp: now)
      batch.put(@followers, followed, user, now, timestamp: now)
    end
  end

  def unfollow(name, other)
    user, followed = user_id(name), user_id(other)
    change do |batch, now|
      batch.remove(@friends, user, names: [followed], timestamp: now)
      batch.remove(@followers, followed, names: [user], timestamp: now)
    end
  end

  # Writes a tweet into every line in which it will be read, however many followers there are.
  def tweet(name, body)
    author, id, now = user_id(name), SecureRandom.uuid, micros
    # The name in lines: the time, and ten bits by chance, because two tweets may share a microsecond.
    line = now * 1024 + rand(1024)
    change(now) do |batch|
      { "id" => id, "user_id" => author, "body" => body, "_ts" => now, "line" => line }.each do |column, value|
        batch.put(@tweets, id, column, value, timestamp: now)
      end
      [@userlines, @timelines].each { |family| batch.put(family, author, line, id, timestamp: now) }
    end
    @followers.stream(author).each_slice(BATCH) do |followers|
      change(now) do |batch|
        followers.each { |follower| batch.put(@timelines, follower.name, line, id, timestamp: now) }
      end
    end
  end

  def userline(name, start = nil) = show(@userlines, name, start)

  def timeline(name, start = nil) = show(@timelines, name, start)

  private

  # Prints a page of a line, the newest first, and where the next page starts.
  def show(lines, name, start)
    from = start ? { start: Integer(start, 10) } : {}
    found = lines.slice(user_id(name), reversed: true, count: PAGE + 1, **from)
    return if found.empty?

    tweets = @tweets.multiget(found.first(PAGE).map(&:value)).map(&:to_h)
    # One without a text is a retweet, which the web application shows.
    tweets.select! { |tweet| tweet["body"] }
    users = @users.multiget(tweets.map { |tweet| tweet["user_id"] }.uniq).to_h { |row| [row.key, row.to_h["username"]] }
    tweets.each { |tweet| puts Colonnade.text("@#{users[tweet["user_id"]]}: ".b + tweet["body"]) }
    puts "more: #{Colonnade.unlong(found[PAGE].name)}" if found.size > PAGE
  end

  # The id of a name. The row of the name is an index that the application keeps by itself.
  def user_id(name)
    found = @usernames.get(name, "id") or raise Refused, "there is no user #{name}"
    found.value
  end

  # Applies changes that all have a timestamp: if they may have been applied, applying them again is safe.
  def change(now = micros)
    batch, attempt = @store.batch(@keyspace), 0
    yield batch, now
    begin
      batch.apply
    rescue Colonnade::Error => error
      raise if error.applied != "unknown" || (attempt += 1) == 3

      retry
    end
  end

  def micros = Process.clock_gettime(Process::CLOCK_REALTIME, :microsecond)
end

COMMANDS = %w[schema signup follow unfollow tweet userline timeline].freeze

nodes = ENV.fetch("COLONNADE_NODES", "127.0.0.1:9160").split(",")
store = Colonnade::Client.new(*nodes, read_level: :QUORUM, write_level: :QUORUM)
command, *words = ARGV
abort "no command #{command}; there are: #{COMMANDS.join(", ")}" unless COMMANDS.include?(command)
begin
  Twissandra.new(store, ENV.fetch("TWISSANDRA_KEYSPACE", "Twissandra")).public_send(command, *words)
rescue Twissandra::Refused, Colonnade::Error => error
  abort error.message
ensure
  store.close
end
