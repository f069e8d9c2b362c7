//! Generates the stubs with a compiler that is a crate itself: no protoc is needed.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contract = Path::new("../../src/main/proto");
    // Only the scenario, an example, uses these.
    let scenario = Path::new("../scenario/proto");
    let files = [
        "colonnade/v1/column_store_service.proto",
        "colonnade/admin/v1/admin.proto",
        "grpc/health/v1/health.proto",
        "grpc/reflection/v1/reflection.proto",
    ];
    let descriptors = protox::compile(files, [contract, scenario])?;
    tonic_prost_build::configure().build_server(false).compile_fds(descriptors)?;
    for directory in [contract, scenario] {
        println!("cargo:rerun-if-changed={}", directory.display());
    }
    Ok(())
}
