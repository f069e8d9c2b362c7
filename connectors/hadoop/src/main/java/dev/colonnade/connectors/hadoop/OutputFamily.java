package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamilyDefinition;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** What a job writes into. */
record OutputFamily(String keyspace, String family, boolean isSuper) {

  /**
   * The family that a configuration names.
   *
   * @throws IOException if there is none, or no node answers
   */
  static OutputFamily of(Colonnade client, Configuration conf) throws IOException {
    String keyspace = ConfigHelper.outputKeyspace(conf);
    String family = ConfigHelper.outputFamily(conf);
    try {
      for (ColumnFamilyDefinition each : client.schema().keyspace(keyspace).columnFamilies()) {
        if (each.name().equals(family)) {
          return new OutputFamily(keyspace, family, each.isSuper());
        }
      }
    } catch (ColonnadeException e) {
      throw new IOException("the job's output cannot be looked at: " + e.getMessage(), e);
    }
    throw new IOException(
        "the keyspace " + keyspace + " has no column family " + family + " to write to; create it");
  }

  String qualifiedName() {
    return keyspace + "." + family;
  }

  /**
   * Refuses what does not fit the kind of the family.
   *
   * @throws IllegalArgumentException if the cell has a super column too many, or too few
   */
  void require(CellWritable cell) {
    boolean wholeRow = cell.isDeletion() && cell.deletedName().isEmpty();
    if (!isSuper && cell.superColumn().isPresent()) {
      throw new IllegalArgumentException(
          qualifiedName() + " is Standard: its rows have no super columns");
    }
    if (isSuper && cell.superColumn().isEmpty() && !wholeRow) {
      throw new IllegalArgumentException(
          qualifiedName() + " is Super: a column needs a super column around it");
    }
  }
}
