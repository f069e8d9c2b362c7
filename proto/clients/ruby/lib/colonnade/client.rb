require "colonnade/admin/v1/admin_services_pb"
require "colonnade/v1/column_store_service_services_pb"

module Colonnade
  # The definition of a column family; compare_subcolumns_with makes it a Super family.
  FamilyDefinition = Struct.new(:name, :compare_with, :compare_subcolumns_with) do
    # The definition as the contract has it.
    def message(keyspace)
      type = compare_subcolumns_with ? :COLUMN_TYPE_SUPER : :COLUMN_TYPE_STANDARD
      Admin::V1::ColumnFamilyDef.new(keyspace: keyspace, column_type: type, **to_h.compact)
    end
  end

  # A node and its generated stubs. metadata says who calls: a call that is given return_op needs it as an argument, since
  # the headers of such a call are fixed before interceptors run.
  class Node
    attr_reader :address, :channel, :metadata, :column_store, :schema, :cluster, :node
    attr_accessor :avoid_until

    # The longest answer of a node. A dead peer is noticed, so that a stream does not wait for ever.
    OPTIONS = {
      "grpc.max_receive_message_length" => 16 << 20,
      "grpc.keepalive_time_ms" => 60_000,
      "grpc.keepalive_timeout_ms" => 30_000,
    }.freeze
    private_constant :OPTIONS

    def initialize(address, roots, user)
      @address, @avoid_until = address, 0.0
      @metadata = user ? { "authorization" => "Basic #{[user.join(":")].pack("m0")}" } : {}
      interceptors = user ? [Identify.new(@metadata)] : []
      security = roots ? GRPC::Core::ChannelCredentials.new(roots) : :this_channel_is_insecure
      @channel = GRPC::Core::Channel.new(address, OPTIONS, security)
      services = [V1::ColumnStoreService, Admin::V1::SchemaService, Admin::V1::ClusterService, Admin::V1::NodeService]
      @column_store, @schema, @cluster, @node = services.map do |service|
        service::Stub.new(address, security, channel_override: @channel, interceptors: interceptors)
      end
    end
  end

  # Says with each call who makes it.
  class Identify < GRPC::ClientInterceptor
    def initialize(headers)
      super()
      @headers = headers
    end

    %i[request_response server_streamer client_streamer bidi_streamer].each do |kind|
      define_method(kind) do |metadata:, **, &call|
        metadata.merge!(@headers)
        call.call
      end
    end
  end
  private_constant :Identify

  # A client of one cluster, for several threads. Make one for a program, and close it at the end.
  class Client
    attr_reader :nodes, :read_level, :write_level, :timeout, :attempts

    LOOPBACK = /\A(localhost|127\.[\d.]+|\[::1\]):\d+\z/
    private_constant :LOOPBACK

    # Takes nodes as "host:port". Calls go to the first one that works; any node answers for the whole cluster. Levels are
    # such as :QUORUM. A call takes at most timeout seconds, with its retries, and is made at most attempts times: a read
    # again if its node cannot be reached or does not serve, a write only if the node said that it was not applied.
    #
    # roots is the PEM of the authority that signed the nodes' certificates, for TLS. user is [name, password], where nodes
    # want to know who calls; they are sent as they are, so without TLS to nodes on loopback alone.
    def initialize(*addresses, read_level: :ONE, write_level: :ONE, timeout: 10, attempts: 4, roots: nil, user: nil)
      raise ArgumentError, "give the address of a node at least, such as 127.0.0.1:9160" if addresses.empty?
      unless user.nil? || roots || addresses.all?(LOOPBACK)
        raise ArgumentError, "the password would be sent unencrypted: give roots, for TLS"
      end

      @nodes = addresses.map { |address| Node.new(address, roots, user) }
      @read_level, @write_level = [read_level, write_level].map { |level| :"CONSISTENCY_LEVEL_#{level}" }
      @timeout, @attempts, @mutex = timeout, attempts, Mutex.new
    end

    # Ends all calls and closes the connections.
    def close = nodes.each { |node| node.channel.close }

    # A column family to read and write. Makes no call, and does not ask whether there is one.
    def family(keyspace, name) = Family.new(self, keyspace, name)

    # Changes to many rows and families. With a block they are applied when it ends well; without one by apply.
    def batch(keyspace)
      batch = Batch.new(self, keyspace)
      return batch unless block_given?

      yield batch
      batch.apply
    end

    # Creates a keyspace with its families.
    def create_keyspace(name, families = [], replication_factor: 1)
      definition = Admin::V1::KeyspaceDef.new(
        name: name, replication_factor: replication_factor, column_families: families.map { |each| each.message(name) }
      )
      change(:create_keyspace, Admin::V1::CreateKeyspaceRequest.new(keyspace: definition))
    end

    # Creates a column family in a keyspace.
    def create_family(keyspace, family)
      change(:create_column_family, Admin::V1::CreateColumnFamilyRequest.new(column_family: family.message(keyspace)))
    end

    # Drops a keyspace with all its data.
    def drop_keyspace(name) = change(:drop_keyspace, Admin::V1::DropKeyspaceRequest.new(name: name))

    # Makes a call of a stub of Node with the client's deadline, retries and errors:
    # store.call(:node, :get_info, request, write: false)
    def call(service, method, request, write:, timeout: @timeout)
      deadline, attempt = now + timeout, 0
      begin
        attempt += 1
        node = pick
        node.public_send(service).public_send(method, request, deadline: Time.now + [deadline - now, 0.001].max)
      rescue GRPC::BadStatus => error
        failure = failed(node, error, write: write)
        pause = failure.pause(attempt)
        raise failure if attempt >= attempts || !failure.may_retry? || now + pause >= deadline

        sleep pause
        retry
      end
    end

    # The node that the next call goes to: the first that did not fail lately.
    def pick
      @mutex.synchronize { nodes.find { |node| node.avoid_until <= now } || nodes.min_by(&:avoid_until) }
    end

    # Turns an error of gRPC into one of this package, and avoids a node that does not serve.
    def failed(node, error, write:)
      failure = Error.from(error, write: write)
      @mutex.synchronize { node.avoid_until = now + 2 } if failure.node_gone? || failure.silent?
      failure
    end

    private

    # A change waits for all nodes that are up.
    def change(method, request)
      call(:schema, method, request, write: true, timeout: [timeout, 30].max)
      nil
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
