package dev.colonnade.server.fuzz;

import dev.colonnade.server.base.config.ConfFuzzer;
import dev.colonnade.server.cluster.gossip.GossipFuzzer;
import dev.colonnade.server.cluster.hints.HintsFuzzer;
import dev.colonnade.server.cluster.repair.TreeFuzzer;
import dev.colonnade.server.cluster.streaming.StreamFuzzer;
import dev.colonnade.server.service.rpc.RequestFuzzer;
import dev.colonnade.server.service.rpc.TokenFuzzer;
import dev.colonnade.server.service.schemasync.SchemaFuzzer;
import dev.colonnade.server.storage.commitlog.LogFuzzer;
import dev.colonnade.server.storage.manifest.ManifestFuzzer;
import dev.colonnade.server.storage.mutation.MutationFuzzer;
import dev.colonnade.server.storage.sstable.BlockFuzzer;
import dev.colonnade.server.storage.sstable.DataFileFuzzer;
import dev.colonnade.server.storage.sstable.DerivedFuzzer;
import dev.colonnade.server.storage.sstable.IndexFuzzer;
import java.util.Map;
import java.util.TreeMap;

/** All targets of this module, by the names that {@code integration-tests/fuzz} knows. */
final class FuzzTargets {

  /** What a fuzzer calls. */
  interface Target {
    void run(byte[] input) throws Exception;
  }

  private FuzzTargets() {}

  static Map<String, Target> all() {
    Map<String, Target> targets = new TreeMap<>();
    targets.put("block", BlockFuzzer::fuzzerTestOneInput);
    targets.put("conf", ConfFuzzer::fuzzerTestOneInput);
    targets.put("datafile", DataFileFuzzer::fuzzerTestOneInput);
    targets.put("derived", DerivedFuzzer::fuzzerTestOneInput);
    targets.put("gossip", GossipFuzzer::fuzzerTestOneInput);
    targets.put("hints", HintsFuzzer::fuzzerTestOneInput);
    targets.put("index", IndexFuzzer::fuzzerTestOneInput);
    targets.put("log", LogFuzzer::fuzzerTestOneInput);
    targets.put("manifest", ManifestFuzzer::fuzzerTestOneInput);
    targets.put("mutation", MutationFuzzer::fuzzerTestOneInput);
    targets.put("request", RequestFuzzer::fuzzerTestOneInput);
    targets.put("schema", SchemaFuzzer::fuzzerTestOneInput);
    targets.put("stream", StreamFuzzer::fuzzerTestOneInput);
    targets.put("token", TokenFuzzer::fuzzerTestOneInput);
    targets.put("tree", TreeFuzzer::fuzzerTestOneInput);
    return targets;
  }
}
