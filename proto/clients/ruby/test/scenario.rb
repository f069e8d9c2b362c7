# Plays ../../scenario/scenario.json; the README.md beside that file says what the steps mean.

require "colonnade"
require "grpc/health/v1/health_services_pb"
require "grpc/reflection/v1/reflection_services_pb"
require "json"

NODES = ENV.fetch("COLONNADE_NODES").split(",")
PIDS = ENV.fetch("COLONNADE_PIDS").split(",").map(&:to_i)
V1 = Colonnade::V1
Admin = Colonnade::Admin::V1

# The bytes that a string of the scenario stands for.
def data(text)
  case text
  when /\A0x/ then [text[2..]].pack("H*")
  when /\Along:/ then Colonnade.long(Integer(text[5..], 10))
  when /\Afill:/ then ("x" * text[5..].to_i).b
  else Colonnade.bytes(text)
  end
end

# Whether the answer has all that is expected; it may have more.
def matches?(expected, actual)
  case expected
  when Hash then actual.is_a?(Hash) && expected.all? { |name, each| matches?(each, actual[name.to_sym]) }
  when Array
    actual.is_a?(Array) && expected.size == actual.size && expected.zip(actual).all? { |e, a| matches?(e, a) }
  when "*" then !actual.nil?
  when String
    actual.is_a?(String) && (actual.encoding == Encoding::BINARY ? data(expected) == actual : expected == actual)
  else expected == actual
  end
end

class Player
  def initialize
    @clients, @saved = {}, {}
  end

  def play(step)
    @step = step
    @client = client
    send(step[:op])
  rescue Colonnade::Error => error
    { error: described(error) }
  rescue StandardError => error # a fault of the client: this step fails, the others are still played
    { exception: error.full_message(highlight: false) }
  end

  def close = @clients.each_value(&:close)

  private

  def client
    level = @step.fetch(:level, "QUORUM").to_sym
    settings = { read_level: level, write_level: level, timeout: @step.fetch(:timeout_ms, 10_000) / 1000.0,
                 attempts: @step.fetch(:attempts, 4) }
    numbers = @step[:nodes] || (@step[:node] ? [@step[:node]] : [1, 2, 3])
    addresses = numbers.map { |number| NODES[number - 1] }
    settings[:user] = @step[:user]
    if @step[:secured]
      addresses = [ENV.fetch("COLONNADE_SECURED_NODE")]
      settings[:roots] = File.read(ENV.fetch("COLONNADE_SECURED_ROOTS"))
    end
    @clients[[addresses, settings]] ||= Colonnade::Client.new(*addresses, **settings)
  end

  def family = inside(@client.family(@step.fetch(:keyspace, "Scenario"), @step[:family]), @step[:super])

  def inside(family, super_column) = super_column ? family.inside(data(super_column)) : family

  def key = data(@step[:key])

  # Schema

  def create_keyspace
    families = @step[:families].map { |family| definition(family) }
    @client.create_keyspace(@step[:keyspace], families, replication_factor: @step[:replication_factor])
    {}
  end

  def drop_keyspace
    @client.drop_keyspace(@step[:keyspace])
    {}
  end

  def create_family
    @client.create_family(@step[:keyspace], definition(@step[:family]))
    {}
  end

  def update_comparator
    changed = definition(@step[:family]).message(@step[:keyspace])
    request = Admin::UpdateColumnFamilyRequest.new(column_family: changed)
    @client.call(:schema, :update_column_family, request, write: true)
    {}
  end

  def definition(family)
    Colonnade::FamilyDefinition.new(*family.values_at(:name, :compare_with, :compare_subcolumns_with))
  end

  # Columns

  def put = { timestamp: family.put(key, data(@step[:column]), data(@step[:value]), **write(@step)).to_s }

  def remove = { timestamp: family.remove(key, @step[:column] && data(@step[:column]), **write(@step)).to_s }

  def get
    if @step[:column]
      found = family.get(key, data(@step[:column]))
      found ? { column: shown(found) } : NOT_FOUND
    else
      found = @client.family("Scenario", @step[:family]).get_super(key, data(@step[:super]))
      found ? { super_column: shown(found) } : NOT_FOUND
    end
  end

  # What nil stands for.
  NOT_FOUND = { error: { code: "NOT_FOUND", reason: "COLUMN_NOT_FOUND" } }.freeze

  def slice
    entries = family.slice(key, **which(@step))
    @step[:summary] ? summary(entries, 1) : { entries: entries.map { |entry| shown(entry) } }
  end

  def count = { count: family.count(key) }

  def multiget
    rows = family.multiget(@step[:keys].map { |key| data(key) }, **which(@step))
    { rows: rows.map { |row| { key: row.key, entries: row.entries.map { |entry| shown(entry) } } } }
  end

  def pages = read(family.pages(key, token: begun.last, page_bytes: @step.fetch(:page_bytes, 0), **which(@step)))

  def stream = read(family.stream(key, token: begun.last, page_bytes: @step.fetch(:chunk_bytes, 0), **which(@step)))

  def begun = @saved.fetch(@step[:continue], [[], @step.fetch(:token, "")])

  def read(cursor)
    entries, parts = begun.first.dup, 0
    cursor.each_page do |page|
      entries.concat(page.items)
      parts += 1
      Process.kill(:KILL, PIDS[@step[:nodes].first - 1]) if parts == @step[:kill_after]
      next unless parts == @step[:stop_after]

      @saved[@step[:save]] = [entries, page.token]
      break
    end
    summary(entries, parts)
  end

  def rows
    found = Hash.new(0)
    family.rows(page_bytes: @step[:page_bytes]).each { |row| found[row.key] += row.entries.size }
    { rows: found.map { |key, entries| { key: key, entries: entries } } }
  end

  # Batches

  def batch
    changes(@step[:rows]).apply
    {}
  end

  def mutate_stream = outcomes(@step[:batches].map { |rows| changes(rows) })

  def fill
    outcomes((0...@step[:columns]).each_slice(100).map do |numbers|
      numbers.each_with_object(@client.batch("Scenario")) do |number, batch|
        batch.put(family, key, format("%05d", number), data(@step[:value]), timestamp: 1)
      end
    end)
  end

  def sequences
    requests = (0..@step[:count]).lazy.map do |i|
      V1::StreamMutateRequest.new(sequence: 1 + i * @step[:step], batch: V1::BatchMutateRequest.new(keyspace: "Scenario"))
    end
    bare(write: true) { @client.pick.column_store.stream_mutate(requests, deadline: Time.now + 30).to_a }
  end

  def empty_session_call
    requests = [V1::SessionRequest.new(calls: [V1::SessionCall.new(id: 1)])]
    @client.pick.column_store.session(requests, deadline: Time.now + 10).each do |answer|
      answer.answers.each do |each|
        status = Google::Rpc::Status.decode(each.error)
        return { error: described(Colonnade::Error.from_status(status, write: true)) }
      end
    end
    {}
  end

  # Nodes

  def health
    stub = Grpc::Health::V1::Health::Stub.new(nil, nil, channel_override: @client.pick.channel)
    { status: stub.check(Grpc::Health::V1::HealthCheckRequest.new(service: @step[:service])).status.to_s }
  end

  def reflection
    stub = Grpc::Reflection::V1::ServerReflection::Stub.new(nil, nil, channel_override: @client.pick.channel)
    request = Grpc::Reflection::V1::ServerReflectionRequest.new(list_services: "")
    answers = stub.server_reflection_info([request]).to_a
    services = answers.flat_map { |each| each.list_services_response.service.to_a }
    { services: services.to_h { |each| [each.name.to_sym, true] } }
  end

  def drain
    @client.call(:node, :drain, Admin::DrainRequest.new, write: false, timeout: 30)
    {}
  end

  def remove_node
    info = @client.call(:node, :get_info, Admin::GetInfoRequest.new, write: false)
    request = Admin::RemoveTokenRequest.new(node_id: info.node.endpoint.node_id)
    bare(write: false) { @client.pick.node.remove_token(request, deadline: Time.now + 10).to_a }
  end

  def signal
    Process.kill(@step[:signal], PIDS[@step[:node] - 1])
    {}
  end

  # A call with a generated stub.
  def bare(write:)
    { answers: yield.size }
  rescue GRPC::BadStatus => error
    raise Colonnade::Error.from(error, write: write)
  end

  def write(change) = { timestamp: change[:timestamp]&.to_i, ttl: change[:ttl] }.compact

  def which(step)
    bytes = step.slice(:start, :finish).transform_values { |each| data(each) }
    names = step[:names] ? { names: step[:names].map { |name| data(name) } } : {}
    since = step[:since] ? { since: step[:since].to_i } : {}
    bytes.merge(step.slice(:reversed, :count, :start_exclusive, :finish_exclusive), names, since)
  end

  def changes(rows)
    rows.each_with_object(@client.batch("Scenario")) do |row, batch|
      family, key = @client.family("Scenario", row[:family]), data(row[:key])
      row.fetch(:puts, []).each do |put|
        batch.put(inside(family, put[:super]), key, data(put[:column]), data(put[:value]), **write(put))
      end
      row.fetch(:removes, []).each { |removal| batch.remove(family, key, **write(removal), **which(removal)) }
    end
  end

  def outcomes(batches)
    result = { applied: Hash.new(0) }
    @client.mutate_stream(batches) do |outcome|
      result[:applied][outcome.applied.to_sym] += 1
      reason = outcome.error ? outcome.error.reason : ""
      result[outcome.sequence.to_s.to_sym] = { applied: outcome.applied, reason: reason }
    end
    { outcomes: result }
  end

  def shown(entry)
    if entry.is_a?(Colonnade::SuperColumn)
      return { name: entry.name, columns: entry.columns.map { |each| shown(each) } }
    end

    { name: entry.name, value: entry.value, timestamp: entry.timestamp.to_s, ttl: entry.ttl }
  end

  def summary(entries, parts)
    names = entries.map(&:name)
    columns = entries.sum { |entry| entry.is_a?(Colonnade::SuperColumn) ? entry.columns.size : 0 }
    { summary: { entries: entries.size, columns: columns, several: parts > 1, first: names.first, last: names.last,
                 ascending: names.each_cons(2).all? { |a, b| (a <=> b).negative? } } }
  end

  def described(error)
    { code: error.code.to_s, reason: error.reason, applied: error.applied || error.metadata["applied"],
      required: error.required, received: error.received, alive: error.alive, field: error.fields.first,
      message: error.message }
  end
end

def clock = Process.clock_gettime(Process::CLOCK_MONOTONIC)

# Plays a step until it passes or its time is up, and prints how it failed.
def passes?(player, step)
  give_up = clock + step.fetch(:retry_for_ms, 0) / 1000.0
  loop do
    begun = clock
    answer = player.play(step)
    took = 1000 * (clock - begun)
    return true if matches?(step[:expect], answer) && took <= step.fetch(:max_ms, 60_000)

    if clock >= give_up
      puts "FAILED: #{step[:name]}: expected #{step[:expect]}, got #{answer.inspect[0, 1000]} after #{took.round} ms"
      return false
    end
    sleep 0.2
  end
end

steps = JSON.parse(File.read(ENV.fetch("COLONNADE_SCENARIO"), encoding: "UTF-8"), symbolize_names: true)[:steps]
player = Player.new
passed, failed = steps.partition { |step| passes?(player, step) }.map(&:size)
player.close
puts "#{passed} passed, #{failed} failed"
exit failed.zero?
