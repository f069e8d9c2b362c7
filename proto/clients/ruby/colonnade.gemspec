Gem::Specification.new do |gem|
  gem.name = "colonnade"
  gem.version = "0.2.0"
  gem.summary = "Client for Colonnade, a wide-column store with the data model of the first Cassandra"
  gem.authors = ["The Colonnade authors"]
  gem.license = "Apache-2.0"
  gem.required_ruby_version = ">= 3.1"
  gem.files = Dir["lib/**/*.rb", "gen/**/*.rb", "README.md"]
  # gen has the stubs, which rake makes.
  gem.require_paths = %w[lib gen]
  gem.add_dependency "google-protobuf", ">= 3.21"
  gem.add_dependency "googleapis-common-protos-types", ">= 1.4"
  gem.add_dependency "grpc", ">= 1.51"
  gem.add_development_dependency "grpc-tools", ">= 1.51"
  gem.add_development_dependency "rake", ">= 13"
end
