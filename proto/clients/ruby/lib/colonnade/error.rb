require "google/rpc/error_details_pb"
require "google/rpc/status_pb"
require "grpc"

module Colonnade
  # A call failed; docs/errors.md lists the reasons.
  class Error < StandardError
    # The status of gRPC as a Symbol, such as :NOT_FOUND.
    attr_reader :code
    # Such as "NOT_ENOUGH_REPLICAS"; empty if no node said it: a connection broke, or a deadline passed here.
    attr_reader :reason
    # About a write "yes", "no" (nothing was and nothing will be applied) or "unknown" (the same again with the same
    # timestamp is safe); nil about a read.
    attr_reader :applied
    # All that the node said, such as "limit".
    attr_reader :metadata
    # The paths of the fields of the request that are at fault.
    attr_reader :fields
    # Seconds after which trying again is likely to help; nil if it is not.
    attr_reader :retry_after

    CODES = GRPC::Core::StatusCodes.constants.to_h { |name| [GRPC::Core::StatusCodes.const_get(name), name] }.freeze
    DETAILS = [Google::Rpc::ErrorInfo, Google::Rpc::BadRequest, Google::Rpc::RetryInfo].freeze
    private_constant :CODES, :DETAILS

    # Reads an error of gRPC, for calls that are made with the generated stubs.
    def self.from(error, write:)
      status = error.to_rpc_status || Google::Rpc::Status.new(code: error.code, message: error.details.to_s)
      from_status(status, write: write)
    end

    # Reads a google.rpc.Status, as calls of a session have it.
    def self.from_status(status, write:)
      info, bad, again = DETAILS.map do |type|
        detail = status.details.find { |any| any.type_url.end_with?("/#{type.descriptor.name}") }
        detail && type.decode(detail.value)
      end
      info = nil unless info&.domain == "colonnade"
      metadata = info ? info.metadata.to_h : {}
      new(status.code, status.message,
          reason: info ? info.reason : "", metadata: metadata,
          applied: write ? metadata.fetch("applied", "unknown") : nil,
          fields: bad ? bad.field_violations.map(&:field) : [],
          retry_after: again && again.retry_delay.seconds + again.retry_delay.nanos / 1e9)
    end

    def initialize(code, message, reason: "", applied: nil, metadata: {}, fields: [], retry_after: nil)
      @code, @reason, @applied, @metadata = CODES.fetch(code, :UNKNOWN), reason, applied, metadata
      @fields, @retry_after = fields, retry_after
      super("#{reason.empty? ? @code : reason}: #{message}")
    end

    # How many replicas the consistency level asks for, answered in time, and were believed to be up; nil where the
    # error did not turn on that.
    def required = number("required")
    def received = number("received")
    def alive = number("alive")

    # Whether there is no such column.
    def not_found? = reason == "COLUMN_NOT_FOUND"

    # Whether the same call may be made again without asking: a write only if it was certainly not applied.
    def may_retry?
      [nil, "no"].include?(applied) && (node_gone? || !retry_after.nil?)
    end

    # Whether the node does not serve, so that the next call had better go to another one.
    def node_gone?
      code == :UNAVAILABLE && ["", "NODE_NOT_READY"].include?(reason)
    end

    # Whether the deadline passed here, before the node said anything: it may stand still.
    def silent?
      code == :DEADLINE_EXCEEDED && reason.empty?
    end

    # Seconds to wait before the next attempt: what the node asked for, or 20 ms, doubled each time; a part by chance.
    def pause(attempt)
      (retry_after || [2.0, 0.02 * 2**(attempt - 1)].min) * (1 + rand / 2)
    end

    private

    def number(name) = metadata[name]&.to_i
  end
end
