module Colonnade
  # Changes that one call applies: those of a row together, those of different rows side by side.
  class Batch
    def initialize(client, keyspace)
      @client, @keyspace, @rows = client, keyspace, {}
    end

    # How many changes it has.
    def size = @rows.each_value.sum { |row| row.mutations.size }

    # Adds the write of a column.
    def put(family, key, name, value, timestamp: nil, ttl: nil)
      column = Messages.written(name, value, timestamp, ttl)
      inside = family.super_column
      entry = inside ? { super_column: V1::SuperColumn.new(name: inside, columns: [column]) } : { column: column }
      add(family, key, column_or_super_column: V1::ColumnOrSuperColumn.new(**entry))
    end

    # Adds the removal of the entries of a slice, or without one of the row or the super column.
    def remove(family, key, timestamp: nil, **slice)
      predicate = Messages.predicate(**slice) unless slice.empty?
      fields = { timestamp: timestamp, super_column: family.super_column, predicate: predicate }
      add(family, key, deletion: V1::Deletion.new(**fields.compact))
    end

    # Applies the changes.
    def apply
      @client.call(:column_store, :batch_mutate, message, write: true)
      nil
    end

    def message
      options = V1::WriteOptions.new(consistency_level: @client.write_level)
      V1::BatchMutateRequest.new(keyspace: @keyspace, rows: @rows.values, options: options)
    end

    private

    def add(family, key, **change)
      bytes = Colonnade.bytes(key)
      row = @rows[[family.name, bytes]] ||= V1::RowMutation.new(key: bytes, column_family: family.name)
      row.mutations << V1::Mutation.new(**change)
      self
    end
  end

  # How one batch of a stream ended: error is nil if it was applied. sequence counts the batches from 1.
  Outcome = Struct.new(:sequence, :applied, :error) do
    def self.of(message)
      applied = message.applied.to_s.delete_prefix("APPLIED_").downcase
      applied = "unknown" unless %w[yes no].include?(applied)
      return new(message.sequence, applied, nil) if message.code.zero?

      numbers = { "required" => message.required.to_s, "received" => message.received.to_s }
      metadata = message.required.positive? ? numbers : {}
      details = { reason: message.reason, applied: applied, metadata: metadata }
      new(message.sequence, applied, Error.new(message.code, message.message, **details))
    end
  end

  class Client
    # Applies batches as they come, and yields an Outcome for each, in any order. A batch that fails does not end the
    # stream. Another thread takes the batches.
    def mutate_stream(batches)
      return to_enum(:mutate_stream, batches) unless block_given?

      node = pick
      requests = batches.each_with_index.lazy.map do |batch, i|
        V1::StreamMutateRequest.new(sequence: i + 1, batch: batch.message)
      end
      call = node.column_store.stream_mutate(requests, return_op: true, metadata: node.metadata.dup)
      begin
        call.execute.each { |answer| answer.outcomes.each { |each| yield Outcome.of(each) } }
      rescue GRPC::BadStatus => error
        raise failed(node, error, write: true)
      ensure
        call.cancel
      end
    end
  end
end
