# A cursor without a node: what belongs to its read, and what to the block.
require "colonnade"

def check(what, expected, found)
  abort "cursor: #{what}: #{found.inspect} instead of #{expected.inspect}" unless found == expected
end

Client = Struct.new(:failures) do
  def attempts = 3
  def pick = :node

  def failed(_node, error, write:)
    failures << [error, write]
    Struct.new(:error) do
      def may_retry? = true
      def pause(_failures) = 0
    end.new(error)
  end
end

client = Client.new([])
fails = [GRPC::Unavailable.new("gone")]
cursor = Colonnade::Cursor.new(client, nil) do |_node, token, &part|
  part.call([1, 2], "a") unless token
  raise fails.shift if fails.any?

  part.call([3], "b")
end
check "a read that fails goes on", [1, 2, 3], cursor.to_a
check "failures of the read", 1, client.failures.size

pages = 0
begin
  cursor.each_page do
    pages += 1
    raise GRPC::Unavailable, "of the block"
  end
rescue GRPC::BadStatus => error
  check "the error", "of the block", error.details
end
check "pages before a failure of the block", 1, pages
check "failures of the read", 1, client.failures.size
