package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.Endpoint;
import dev.colonnade.client.RingRange;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.jspecify.annotations.Nullable;

/** What one task reads of a family: a range of tokens, or one row, and who holds it. */
public final class ColumnFamilySplit extends InputSplit implements Writable {

  private static final int KEY_BYTES_MAX = 65_535;

  private String family = "";
  private boolean isSuper;
  private RingRange range = new RingRange("", "", List.of());
  private byte @Nullable [] key;
  private long estimatedRows;
  private long estimatedBytes;

  /** An empty one, for {@link #readFields}. */
  public ColumnFamilySplit() {}

  ColumnFamilySplit(
      String family,
      boolean isSuper,
      RingRange range,
      byte @Nullable [] key,
      long estimatedRows,
      long estimatedBytes) {
    this.family = family;
    this.isSuper = isSuper;
    this.range = range;
    this.key = key;
    this.estimatedRows = estimatedRows;
    this.estimatedBytes = estimatedBytes;
  }

  /** The family to read. */
  public String family() {
    return family;
  }

  /** Whether its rows have super columns. */
  public boolean isSuper() {
    return isSuper;
  }

  /** The tokens to read, and the nodes that hold them, the owner first. */
  public RingRange range() {
    return range;
  }

  /** The one row to read, if it is one. */
  public Optional<byte[]> key() {
    return Optional.ofNullable(key);
  }

  /** About how many rows there are; 0 if that is not known. */
  public long estimatedRows() {
    return estimatedRows;
  }

  /** About how many bytes the rows take in data files. */
  @Override
  public long getLength() {
    return estimatedBytes;
  }

  /** The hosts that hold the rows. */
  @Override
  public String[] getLocations() {
    return range.endpoints().stream().map(Endpoint::address).distinct().toArray(String[]::new);
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeUTF(family);
    out.writeBoolean(isSuper);
    out.writeUTF(range.startToken());
    out.writeUTF(range.endToken());
    out.writeInt(range.endpoints().size());
    for (Endpoint endpoint : range.endpoints()) {
      out.writeUTF(endpoint.nodeId());
      out.writeUTF(endpoint.address());
      out.writeInt(endpoint.clientPort());
      out.writeInt(endpoint.peerPort());
      out.writeUTF(endpoint.datacenter());
      out.writeUTF(endpoint.rack());
    }
    byte[] one = key;
    out.writeInt(one == null ? 0 : one.length);
    if (one != null) {
      out.write(one);
    }
    out.writeLong(estimatedRows);
    out.writeLong(estimatedBytes);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    family = in.readUTF();
    isSuper = in.readBoolean();
    String start = in.readUTF();
    String end = in.readUTF();
    int count = in.readInt();
    List<Endpoint> endpoints = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      endpoints.add(
          new Endpoint(
              in.readUTF(), in.readUTF(), in.readInt(), in.readInt(), in.readUTF(), in.readUTF()));
    }
    range = new RingRange(start, end, endpoints);
    int length = in.readInt();
    if (length < 0 || length > KEY_BYTES_MAX) {
      throw new IOException("a split is damaged: a key of " + length + " bytes");
    }
    if (length > 0) {
      byte[] one = new byte[length];
      in.readFully(one);
      key = one;
    } else {
      key = null;
    }
    estimatedRows = in.readLong();
    estimatedBytes = in.readLong();
  }

  @Override
  public String toString() {
    return family + " (" + range.startToken() + ", " + range.endToken() + "]";
  }
}
