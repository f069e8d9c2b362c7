module Colonnade
  # Reads and writes the rows of a column family, or with inside the columns of a super column. All methods raise Error.
  #
  # A slice is given as keywords. Without any it means all entries of the row; else those from start: to finish: in the
  # direction of travel, reversed: and count: at most, without the ends that are start_exclusive: or finish_exclusive:; or
  # those of names:, of which an empty list finds nothing. With since: only columns that have this timestamp or a greater
  # one.
  class Family
    attr_reader :keyspace, :name, :super_column

    def initialize(client, keyspace, name, super_column = nil)
      @client, @keyspace, @name, @super_column = client, keyspace, name, super_column
    end

    # The same family inside one super column: all methods then mean its columns.
    def inside(super_column) = Family.new(@client, keyspace, name, Colonnade.bytes(super_column))

    # Writes a column, and returns its timestamp: the one given, or the node's clock. With a timestamp of your own, a write
    # whose error says "unknown" can be made again: the same write twice is the same as once. ttl is in seconds.
    def put(key, name, value, timestamp: nil, ttl: nil)
      request = V1::InsertRequest.new(
        **row(key), column: Messages.written(name, value, timestamp, ttl), options: V1::WriteOptions.new(**writes)
      )
      @client.call(:column_store, :insert, request, write: true).timestamp
    end

    # Removes a column, or without a name the super column or the row. Returns the timestamp of the removal.
    def remove(key, name = nil, timestamp: nil)
      request = V1::RemoveRequest.new(
        keyspace: keyspace, key: Colonnade.bytes(key), column_path: path(super_column, name),
        options: V1::WriteOptions.new(**writes), **{ timestamp: timestamp }.compact
      )
      @client.call(:column_store, :remove, request, write: true).timestamp
    end

    # A column; nil if there is none.
    def get(key, name) = find(key, path(super_column, name))

    # A super column with all its columns; nil if there is none.
    def get_super(key, name) = find(key, path(name, nil))

    # Entries of a row, super columns whole. A row that does not exist has none.
    def slice(key, **slice) = Messages.join(pages(key, **slice))

    # The same entries of several rows: one row for each distinct key, in the order of the keys.
    def multiget(keys, **slice)
      request = V1::MultigetSliceRequest.new(**shared(slice), keys: keys.map { |key| Colonnade.bytes(key) })
      found = paged(request, :multiget_slice, "") { |answer| Messages.rows(answer) }.each_with_object([]) do |row, rows|
        last = rows.last
        last && last.continues && last.key == row.key ? last.entries += row.entries : rows << row
        rows.last.continues = row.continues
      end
      found.map { |row| Row.new(row.key, Messages.join(row.entries), false) }
    end

    # How many entries a row has.
    def count(key, **slice)
      request = V1::GetCountRequest.new(**shared(slice), key: Colonnade.bytes(key))
      @client.call(:column_store, :get_count, request, write: false).count
    end

    # A Cursor over entries of a row; each page is a call with a deadline, and has up to page_bytes bytes (0: 1 MiB).
    def pages(key, token: "", page_bytes: 0, **slice)
      request = V1::GetSliceRequest.new(**shared(slice), key: Colonnade.bytes(key), page_bytes: page_bytes)
      paged(request, :get_slice, token) { |answer| Messages.entries(answer.columns, answer.super_column_continues) }
    end

    # A Cursor over entries of a row, in one call that may take as long as its reader, or timeout seconds. A page has up
    # to page_bytes bytes; 0: the node chooses.
    def stream(key, token: "", page_bytes: 0, timeout: nil, **slice)
      request = V1::StreamSliceRequest.new(**shared(slice), key: Colonnade.bytes(key), max_chunk_bytes: page_bytes)
      Cursor.new(@client, token) do |node, after, &found|
        request.resume_token = after
        deadline = timeout && Time.now + timeout
        call = node.column_store.stream_slice(request, deadline: deadline, return_op: true, metadata: node.metadata.dup)
        begin
          call.execute.each do |part|
            found.call(Messages.entries(part.columns, part.super_column_continues), part.resume_token)
          end
        ensure
          call.cancel
        end
      end
    end

    # A Cursor over the rows of the family in the order of the partitioner, from the key start_key to end_key.
    def rows(start_key: "", end_key: "", token: "", page_bytes: 0, **slice)
      keys = V1::KeyBounds.new(start_key: Colonnade.bytes(start_key), end_key: Colonnade.bytes(end_key))
      range = V1::KeyRange.new(keys: keys)
      request = V1::GetRangeSlicesRequest.new(**shared(slice), range: range, page_bytes: page_bytes)
      paged(request, :get_range_slices, token) { |answer| Messages.rows(answer) }
    end

    private

    def paged(request, method, token)
      Cursor.new(@client, token) do |node, after, &found|
        loop do
          request.page_token = after
          answer = node.column_store.public_send(method, request, deadline: Time.now + @client.timeout)
          after = answer.next_page_token
          found.call(yield(answer), after)
          break if after.empty?
        end
      end
    end

    def find(key, path)
      request = V1::GetRequest.new(
        keyspace: keyspace, key: Colonnade.bytes(key), column_path: path, options: V1::ReadOptions.new(**reads)
      )
      Messages.entry(@client.call(:column_store, :get, request, write: false).column_or_super_column)
    rescue Error => error
      raise unless error.not_found?
    end

    def path(super_column, column)
      inside = { super_column: super_column, column: column }.compact.transform_values { |each| Colonnade.bytes(each) }
      V1::ColumnPath.new(column_family: name, **inside)
    end

    def row(key) = { keyspace: keyspace, key: Colonnade.bytes(key), column_parent: parent }

    def shared(slice)
      options = V1::ReadOptions.new(**reads)
      { keyspace: keyspace, column_parent: parent, predicate: Messages.predicate(**slice), options: options }
    end

    def parent = V1::ColumnParent.new(column_family: name, **{ super_column: super_column }.compact)

    def reads = { consistency_level: @client.read_level }

    def writes = { consistency_level: @client.write_level }
  end
end
