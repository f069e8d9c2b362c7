# Client for Colonnade, a wide-column store with the data model of the first Cassandra.
#
#     store = Colonnade::Client.new("127.0.0.1:9160")
#     users = store.family("Example", "UserProfile")
#     users.put("jsmith", "city", "Tulsa")
#     users.get("jsmith", "city").value
#
# Keys, names and values are bytes. A String goes in as UTF-8, or as it is where its encoding is binary; an Integer
# becomes the 8 bytes of LongType. What comes out is binary; Colonnade.text and Colonnade.unlong turn it back.
module Colonnade
end

require "colonnade/data"
require "colonnade/error"
require "colonnade/client"
require "colonnade/cursor"
require "colonnade/family"
require "colonnade/batch"
