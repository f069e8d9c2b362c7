require "colonnade/v1/model_pb"

module Colonnade
  LONGS = (-2**63..2**63 - 1)

  # A name with a value. The timestamp decides between versions; microseconds by convention. ttl is the time to live in
  # seconds, or nil.
  Column = Struct.new(:name, :value, :timestamp, :ttl)

  # A name and columns, ascending. If it continues there may be more of it: the next entry then has the same name. Only
  # pages and streams give it in parts.
  SuperColumn = Struct.new(:name, :columns, :continues)

  # A row of several, or the part of it that one page holds: then it continues.
  Row = Struct.new(:key, :entries, :continues) do
    # The names with the values; of super columns with the names and values inside.
    def to_h = Colonnade.to_h(entries)
  end

  class << self
    # The bytes that are stored for a String or an Integer.
    #
    # Raises EncodingError for text that is not valid in its encoding, RangeError for an Integer beyond 64 bits,
    # TypeError for anything else, nil and Symbol included.
    def bytes(value)
      case value
      when String
        return value.b if value.encoding == Encoding::BINARY
        raise EncodingError, "not valid #{value.encoding}; give such data as binary" unless value.valid_encoding?

        value.encode(Encoding::UTF_8).b
      when Integer then long(value)
      else raise TypeError, "#{value.class} is neither String nor Integer"
      end
    end

    # The 8 bytes of LongType: signed, the most significant first.
    def long(number)
      raise RangeError, "#{number} does not fit 64 bits" unless LONGS.cover?(number)

      [number].pack("q>")
    end

    # The number in the 8 bytes of LongType.
    def unlong(data)
      raise ArgumentError, "a long has 8 bytes, and this has #{data.bytesize}" unless data.bytesize == 8

      data.unpack1("q>")
    end

    # The text in bytes. Raises EncodingError if they are not UTF-8; nothing is replaced.
    def text(data)
      text = data.dup.force_encoding(Encoding::UTF_8)
      raise EncodingError, "not UTF-8: #{data.unpack1("H*")}" unless text.valid_encoding?

      text
    end

    # The names of entries with their values.
    def to_h(entries)
      entries.to_h { |each| [each.name, each.is_a?(SuperColumn) ? to_h(each.columns) : each.value] }
    end
  end

  # Messages of the contract to the values above, and back.
  module Messages
    module_function

    def predicate(names: nil, since: nil, **range)
      written = { min_timestamp: since }.compact
      if names
        chosen = V1::ColumnNames.new(names: names.map { |each| Colonnade.bytes(each) })
        return V1::SlicePredicate.new(column_names: chosen, **written)
      end
      ends = { start: "", finish: "" }.merge(range).slice(:start, :finish)
      bytes = ends.transform_values { |each| Colonnade.bytes(each) }
      V1::SlicePredicate.new(slice_range: V1::SliceRange.new(**range.compact, **bytes), **written)
    end

    def written(name, value, timestamp, ttl)
      column = { name: Colonnade.bytes(name), value: Colonnade.bytes(value), timestamp: timestamp, ttl_seconds: ttl }
      V1::Column.new(**column.compact)
    end

    def column(message)
      Column.new(message.name, message.value, message.timestamp, (message.ttl_seconds if message.has_ttl_seconds?))
    end

    def entry(message, continues = false)
      inside = message.super_column
      return column(message.column) unless inside

      SuperColumn.new(inside.name, inside.columns.map { |each| column(each) }, continues)
    end

    def entries(messages, continues)
      messages.each_with_index.map { |message, i| entry(message, continues && i == messages.size - 1) }
    end

    def rows(answer)
      answer.rows.each_with_index.map do |row, i|
        last = i == answer.rows.size - 1
        Row.new(row.key, entries(row.columns, answer.super_column_continues && last), answer.row_continues && last)
      end
    end

    # Puts the parts of super columns together.
    def join(parts)
      parts.each_with_object([]) do |part, whole|
        last = whole.last
        if last.is_a?(SuperColumn) && last.continues && last.name == part.name
          last.columns += part.columns
          last.continues = part.continues
        else
          whole << part.dup
        end
      end.each { |each| each.continues = false if each.is_a?(SuperColumn) }
    end
  end
end
