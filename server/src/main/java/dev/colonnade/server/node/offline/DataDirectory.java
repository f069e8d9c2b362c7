package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.offline.FamilyDirectories.FoundDirectory;
import dev.colonnade.server.node.offline.OfflineFile.Standing;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.platform.PlugInJars;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.ManifestContent;
import dev.colonnade.server.storage.sstable.SSTableCheck;
import dev.colonnade.server.storage.sstable.SSTableCheck.Problem;
import dev.colonnade.server.storage.sstable.SSTableFilterReport;
import dev.colonnade.server.storage.sstable.SSTableHeader;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableIndexReader;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The data files below a place: the data directory of a node, one of its keyspaces or families, a
 * directory of data files elsewhere, or one file. A node's directory is locked until this is
 * closed, so that the node cannot start meanwhile. Opening it changes nothing.
 *
 * <p>One thread at a time; blocks.
 */
public final class DataDirectory implements Closeable {

  private static final String LOCK_FILE = "lock";

  private final Path root;
  private final Path plugInFolder;
  private final OsFileSystem files;
  private final KeyIndexes keyIndexes;
  private final PlugInJars plugIns;
  private final ComparatorResolver types;
  private final @Nullable Closeable lock;
  private final Optional<ManifestContent> manifest;
  private final List<Problem> problems = new ArrayList<>();
  private final List<OfflineFamily> families = new ArrayList<>();
  private Optional<Schema> schema = Optional.empty();

  private DataDirectory(OfflinePlace place, PlugInJars plugIns, @Nullable Closeable lock)
      throws IOException {
    this.root = place.root();
    this.plugInFolder = place.plugIns();
    this.files = OsFileSystem.open(root);
    this.keyIndexes = new ChronicleKeyIndexes(files);
    this.plugIns = plugIns;
    this.types = ComparatorResolver.with(plugIns);
    this.lock = lock;
    this.manifest =
        place.hasManifest() ? Optional.of(ManifestContent.read(files)) : Optional.empty();
  }

  /**
   * Opens what is below a path.
   *
   * @throws OfflineException if there is nothing there, if the node runs, or if something of the
   *     node's configuration is missing, such as a plug-in
   * @throws UnreadableFileException if the manifest is damaged
   */
  public static DataDirectory open(Path path) throws IOException, OfflineException {
    OfflinePlace place = OfflinePlace.of(path);
    PlugInJars plugIns = PlugInJars.open(place.plugIns());
    Closeable lock = null;
    try {
      lock = lock(place);
      DataDirectory directory = new DataDirectory(place, plugIns, lock);
      directory.look(place);
      return directory;
    } catch (IOException | OfflineException | RuntimeException failure) {
      plugIns.close();
      if (lock != null) {
        lock.close();
      }
      throw failure;
    }
  }

  /** A directory in which no node ever started has no lock, such as a copy of another one. */
  private static @Nullable Closeable lock(OfflinePlace place) throws IOException, OfflineException {
    if (!place.hasManifest() || !Files.exists(place.root().resolve(LOCK_FILE))) {
      return null;
    }
    try {
      return OsFileSystem.open(place.root()).lock(LOCK_FILE);
    } catch (LockedException running) {
      throw new OfflineException(
          "a node runs on "
              + place.root()
              + ", or another tool reads it; stop the node first (colonnade drain, then end its"
              + " process)",
          running);
    }
  }

  private void look(OfflinePlace place) throws IOException, OfflineException {
    List<FoundDirectory> found = FamilyDirectories.below(place.searched());
    if (manifest.isPresent()) {
      for (UnreadableFileException damage : manifest.get().damage()) {
        problems.add(problem(damage));
      }
      schema = readSchema(manifest.get());
    }
    for (FoundDirectory each : found) {
      for (FamilyId family : familiesIn(each)) {
        Optional<OfflineFamily> known = family(each, family, place.generation());
        known.ifPresent(families::add);
      }
    }
  }

  private static Problem problem(UnreadableFileException damage) {
    return new Problem(damage.path(), 0, String.valueOf(damage.getMessage()), true);
  }

  private Optional<Schema> readSchema(ManifestContent content) throws OfflineException {
    Path system = root.resolve(FamilyDirectories.ROOT).resolve(SystemKeyspace.NAME);
    if (!Files.isDirectory(system)) {
      return Optional.empty();
    }
    try {
      for (FoundDirectory each : FamilyDirectories.below(system)) {
        if (each.family().equals(Optional.of(SystemKeyspace.SCHEMA.id()))) {
          return Optional.of(StoredSchema.read(files, content, relative(each.path()), types));
        }
      }
    } catch (IOException damaged) {
      // The files tell enough of themselves to be read without it, and the check names the damage.
      return Optional.empty();
    } catch (SchemaException unknown) {
      throw new OfflineException(
          unknown.getMessage()
              + "; a class of your own is looked for in the jars in "
              + plugInFolder,
          unknown);
    }
    return Optional.empty();
  }

  /** The family that a directory is named after, or those that the headers in it name. */
  private SortedSet<FamilyId> familiesIn(FoundDirectory directory) throws IOException {
    if (directory.family().isPresent()) {
      return new TreeSet<>(List.of(directory.family().get()));
    }
    TreeSet<FamilyId> ids = new TreeSet<>();
    for (long generation : directory.generations()) {
      header(directory, generation).ifPresent(header -> ids.add(header.family()));
    }
    return ids;
  }

  /** The header of a file; empty, with a problem noted, if it has none that can be read. */
  private Optional<SSTableHeader> header(FoundDirectory directory, long generation)
      throws IOException {
    try {
      return Optional.of(SSTableHeader.read(files, relative(directory.path()), generation));
    } catch (UnreadableFileException damage) {
      Problem found = problem(damage);
      if (!problems.contains(found)) {
        problems.add(found);
      }
      return Optional.empty();
    } catch (FileNotFoundException keysOnly) {
      return Optional.empty();
    }
  }

  private Optional<OfflineFamily> family(FoundDirectory directory, FamilyId id, OptionalLong only)
      throws IOException, OfflineException {
    Optional<ColumnFamily> defined = schema.flatMap(known -> known.family(id));
    Optional<SSTableHeader> header = Optional.empty();
    for (long generation : directory.generations()) {
      header = header.isPresent() ? header : header(directory, generation);
      if (header.isPresent() && !header.get().family().equals(id)) {
        header = Optional.empty();
      }
    }
    if (defined.isEmpty() && header.isEmpty()) {
      return Optional.empty();
    }
    String partitioner =
        manifest
            .map(content -> content.identity().partitioner())
            .orElseGet(header.map(SSTableHeader::partitioner)::orElseThrow);
    PathOrder order = defined.isPresent() ? defined.get().order() : orderOf(header.orElseThrow());
    String relative = relative(directory.path());
    OfflineFamily found =
        new OfflineFamily(
            defined.map(ColumnFamily::keyspace).orElseGet(directory::keyspace),
            defined.map(ColumnFamily::name).orElseGet(directory::familyName),
            id,
            partitioner,
            order,
            relative,
            List.of());
    return Optional.of(withFiles(found, directory, only));
  }

  private OfflineFamily withFiles(
      OfflineFamily family, FoundDirectory directory, OptionalLong only) {
    TreeSet<Long> generations = new TreeSet<>(directory.generations());
    Optional<FamilyState> state = state(family.id());
    state.ifPresent(known -> generations.addAll(known.files().keySet()));
    state.ifPresent(known -> generations.addAll(known.quarantined().keySet()));
    List<OfflineFile> found = new ArrayList<>();
    for (long generation : generations) {
      if (only.isEmpty() || only.getAsLong() == generation) {
        SSTableIdentity identity =
            new SSTableIdentity(
                family.directory(), generation, family.id(), family.partitioner(), family.order());
        found.add(new OfflineFile(identity, standing(state, generation, directory.generations())));
      }
    }
    return new OfflineFamily(
        family.keyspace(),
        family.name(),
        family.id(),
        family.partitioner(),
        family.order(),
        family.directory(),
        found);
  }

  /** What the manifest says of a family; empty if there is no manifest. */
  Optional<FamilyState> state(FamilyId family) {
    return manifest.map(
        content -> content.families().getOrDefault(family, FamilyState.empty(family)));
  }

  /** The number of the next file of a family. */
  long nextGeneration(OfflineFamily family) {
    long next = state(family.id()).map(FamilyState::nextGeneration).orElse(1L);
    for (OfflineFile file : family.files()) {
      next = Math.max(next, file.identity().generation() + 1);
    }
    return next;
  }

  private static Standing standing(
      Optional<FamilyState> state, long generation, SortedSet<Long> there) {
    if (state.isEmpty()) {
      return Standing.LIVE;
    }
    if (state.get().files().containsKey(generation)) {
      return there.contains(generation) ? Standing.LIVE : Standing.MISSING;
    }
    return state.get().quarantined().containsKey(generation)
        ? Standing.QUARANTINED
        : Standing.UNLISTED;
  }

  private PathOrder orderOf(SSTableHeader header) throws OfflineException {
    try {
      return new PathOrder(
          types.resolve(header.comparator()),
          header.subcomparator().isEmpty() ? null : types.resolve(header.subcomparator()));
    } catch (PlugInException unknown) {
      throw new OfflineException(
          unknown.getMessage() + "; its jar is looked for in " + plugInFolder, unknown);
    }
  }

  private String relative(Path path) {
    return root.relativize(path).toString().replace('\\', '/');
  }

  /** The directory with the manifest, or the one that was opened. */
  public Path root() {
    return root;
  }

  /** Whether there is a manifest, which says which files are live. */
  public boolean hasManifest() {
    return manifest.isPresent();
  }

  /** The families in the order of their directories. */
  public List<OfflineFamily> families() {
    return List.copyOf(families);
  }

  /** What is wrong with manifest and headers, apart from what {@link #check} finds. */
  public List<Problem> problems() {
    return List.copyOf(problems);
  }

  /**
   * The family that is asked for.
   *
   * @param name {@code KEYSPACE.FAMILY}, {@code FAMILY}, or an id; empty for the only one there is
   * @throws OfflineException if there is none, or several; the message lists them
   */
  public OfflineFamily family(String name) throws OfflineException {
    List<OfflineFamily> named =
        families.stream()
            .filter(
                each ->
                    name.isEmpty()
                        || each.title().equals(name)
                        || each.name().equals(name)
                        || each.id().toString().equals(name))
            .toList();
    if (named.size() == 1) {
      return named.get(0);
    }
    String all =
        families.stream().map(OfflineFamily::title).sorted().collect(Collectors.joining(", "));
    if (families.isEmpty()) {
      throw new OfflineException("there are no data files in " + root);
    }
    throw new OfflineException(
        (named.isEmpty()
                ? "there is no family " + name + " in " + root
                : "there are several families in " + root + "; name one with --family")
            + ": it has "
            + all);
  }

  /**
   * Opens the rows of all live files of a family, merged.
   *
   * @throws OfflineException if a live file is missing, so that rows would be left out silently
   */
  public FamilyRows rows(OfflineFamily family) throws IOException, OfflineException {
    for (OfflineFile file : family.files()) {
      if (file.standing() == Standing.MISSING) {
        throw new OfflineException(
            path(file) + " is missing, though the manifest lists it; see colonnade sstable verify");
      }
    }
    return FamilyRows.open(
        files, family.live().stream().map(OfflineFile::identity).toList(), family.order());
  }

  /**
   * Checks one file. One that is not served is not read: what is said of it is what the manifest
   * says.
   *
   * @param progress is told how many bytes of its rows were read
   */
  public SSTableCheck.Outcome check(OfflineFile file, LongConsumer progress)
      throws IOException, OfflineException {
    switch (file.standing()) {
      case LIVE -> {}
      case UNLISTED -> {
        return new SSTableCheck.Outcome(0, 0, 0, List.of(), true);
      }
      case MISSING -> {
        return unread(file, "the manifest lists the file as live, and it is missing");
      }
      case QUARANTINED -> {
        return unread(file, "the file was set aside as damaged; reads of its rows fail");
      }
    }
    return check(file.identity(), progress);
  }

  /** Checks the components under these names. */
  SSTableCheck.Outcome check(SSTableIdentity identity, LongConsumer progress)
      throws IOException, OfflineException {
    // A snapshot, or another copy, may lack them: a node makes them again.
    boolean keys = hasManifest() || identity.hasKeyIndex(files);
    return new SSTableCheck(
            files, keys ? keyIndexes : null, identity, tokens(identity.partitioner()), progress)
        .run();
  }

  /**
   * Opens the sparse index of a file.
   *
   * @throws UnreadableFileException if it is damaged
   */
  public SSTableIndexReader index(OfflineFile file) throws IOException {
    return SSTableIndexReader.open(files, file.identity());
  }

  /**
   * Measures the Bloom filter of a file.
   *
   * @param tries how many absent rows it is asked for, at least 1
   * @throws UnreadableFileException if it is damaged
   */
  public SSTableFilterReport filter(OfflineFile file, int tries) throws IOException {
    return SSTableFilterReport.read(
        files, file.identity(), new SeededRandom(file.identity().generation()), tries);
  }

  private SSTableCheck.Outcome unread(OfflineFile file, String what) {
    Problem problem = new Problem(path(file), 0, what, false);
    return new SSTableCheck.Outcome(0, 0, 0, List.of(problem), true);
  }

  /** The path of a file's rows. */
  public String path(OfflineFile file) {
    return files.describe(file.identity().dataPath());
  }

  /** Bytes of a file's rows; 0 if they are not there. */
  public long bytes(OfflineFile file) throws IOException {
    Path path = Path.of(path(file));
    return Files.exists(path) ? Files.size(path) : 0;
  }

  /** The real files, for what reads or writes them. */
  OsFileSystem files() {
    return files;
  }

  KeyIndexes keyIndexes() {
    return keyIndexes;
  }

  ComparatorResolver types() {
    return types;
  }

  Partitioner partitioner(String name) throws OfflineException {
    try {
      return Partitioners.resolve(name, plugIns);
    } catch (PlugInException unknown) {
      throw new OfflineException(
          unknown.getMessage() + "; its jar is looked for in " + plugInFolder, unknown);
    }
  }

  UnaryOperator<byte[]> tokens(String name) throws OfflineException {
    Partitioner partitioner = partitioner(name);
    return key -> {
      try {
        return partitioner.tokenOf(key);
      } catch (InvalidKeyException impossible) {
        // No key of the file could have a token; the empty one is that of none.
        return partitioner.minimumToken();
      }
    };
  }

  /** Releases the lock. */
  @Override
  public void close() throws IOException {
    try (plugIns) {
      if (lock != null) {
        lock.close();
      }
    }
  }
}
