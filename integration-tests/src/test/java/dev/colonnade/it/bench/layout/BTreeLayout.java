package dev.colonnade.it.bench.layout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A table of SQLite whose rows are the leaves of a B-tree in the order of key, super column and
 * column, as InnoDB's are. Each insert is a transaction. With a write-ahead log that is synced at
 * checkpoints, a loss of power costs the last transactions, as the commit log in {@code periodic}
 * mode does.
 */
final class BTreeLayout implements LayoutStore {

  private static final Path OWN_CALLS = Path.of("/proc/self/io");

  private final Path file;
  private final LayoutShape shape;
  private final long memoryBytes;
  private Connection connection;
  private PreparedStatement insert;
  private PreparedStatement read;

  /**
   * Creates a table.
   *
   * @param memoryBytes for pages
   */
  BTreeLayout(Path directory, LayoutShape shape, long memoryBytes) throws SQLException {
    this.file = directory.resolve("btree.db");
    this.shape = shape;
    this.memoryBytes = memoryBytes;
    open(memoryBytes);
    run(
        "CREATE TABLE cells (k BLOB NOT NULL, s BLOB NOT NULL, c BLOB NOT NULL,"
            + " t INTEGER NOT NULL, v BLOB NOT NULL, PRIMARY KEY (k, s, c)) WITHOUT ROWID");
    prepare();
  }

  private void open(long cacheBytes) throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = NORMAL");
    run("PRAGMA cache_size = -" + Math.max(1, cacheBytes >> 10));
    connection.setAutoCommit(false);
  }

  private void prepare() throws SQLException {
    insert =
        connection.prepareStatement(
            "INSERT OR REPLACE INTO cells (k, s, c, t, v) VALUES (?, ?, ?, ?, ?)");
    read = connection.prepareStatement("SELECT s, c, t, v FROM cells WHERE k = ? LIMIT 10");
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void insert(LayoutShape.Insert cells) throws SQLException {
    byte[] superColumn = cells.superColumn();
    for (LayoutShape.Column column : cells.columns()) {
      insert.setBytes(1, cells.key());
      insert.setBytes(2, superColumn == null ? new byte[0] : superColumn);
      insert.setBytes(3, column.name());
      insert.setLong(4, 1_700_000_000_000_000L);
      insert.setBytes(5, column.value());
      insert.executeUpdate();
    }
    connection.commit();
  }

  @Override
  public void settle() throws SQLException {
    connection.commit();
    connection.setAutoCommit(true);
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    connection.setAutoCommit(false);
  }

  @Override
  public Map<String, Long> bytesOnDisk() throws IOException {
    return Map.of("B-tree", Files.size(file));
  }

  @Override
  public void reopenCold() throws SQLException {
    connection.close();
    open(1 << 10);
    prepare();
  }

  @Override
  public int read(byte[] key) throws SQLException {
    read.setBytes(1, key);
    int columns = 0;
    try (ResultSet cells = read.executeQuery()) {
      while (cells.next()) {
        columns += cells.getBytes(4).length > 0 ? 1 : 0;
      }
    }
    connection.commit();
    // Forgets the pages of this read, the upper ones of the tree too.
    run("PRAGMA shrink_memory");
    return columns;
  }

  /** Of the whole process, of which nothing else reads or writes meanwhile. */
  @Override
  public FileCalls calls() throws IOException {
    Map<String, Long> figures = new HashMap<>();
    List<String> lines = Files.readAllLines(OWN_CALLS);
    for (String line : lines) {
      String[] words = line.split(": ", 2);
      figures.put(words[0], Long.valueOf(words[1].trim()));
    }
    return new FileCalls(
        figure(figures, "syscr"),
        figure(figures, "rchar"),
        figure(figures, "syscw"),
        figure(figures, "wchar"));
  }

  private static long figure(Map<String, Long> figures, String name) throws IOException {
    Long figure = figures.get(name);
    if (figure == null) {
      throw new IOException(OWN_CALLS + " does not have " + name);
    }
    return figure;
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IOException("the table of " + shape.label() + " rows did not close", e);
    }
  }

  @Override
  public String toString() {
    return "B-tree with " + (memoryBytes >> 20) + " MiB of pages";
  }
}
