module Colonnade
  # A part of a long answer. A later read with the same arguments continues at its token, on any node.
  Page = Struct.new(:items, :token)

  # Entries or rows in constant memory, however many there are: each gives single items, each_page the parts in which
  # they come. If a node fails it continues on another one, without a gap and without repeating anything. Leaving the
  # loop ends the call.
  class Cursor
    include Enumerable

    # The block reads from a token on, and yields the items of each part with the token behind it.
    def initialize(client, token, &open)
      @client, @token, @open = client, token, open
    end

    def each(&block)
      return to_enum unless block

      each_page { |page| page.items.each(&block) }
    end

    def each_page
      return to_enum(:each_page) unless block_given?

      token, failures, node, of_block = @token, 0, nil, nil
      begin
        node = @client.pick
        @open.call(node, token) do |items, after|
          token, failures = after, 0
          begin
            yield Page.new(items, after)
          rescue GRPC::BadStatus => of_block
            raise # a failed call of the block, not of this read
          end
        end
        self
      rescue GRPC::BadStatus => error
        raise if error.equal?(of_block)

        failures += 1
        failure = @client.failed(node, error, write: false)
        raise failure if failures >= @client.attempts || !failure.may_retry?

        sleep failure.pause(failures)
        retry
      end
    end
  end
end
