package dev.colonnade.server.base.config;

import static java.util.stream.Collectors.toMap;

import dev.colonnade.server.base.config.CommitLogOptions.Sync;
import dev.colonnade.server.base.config.LocationSettings.Snitch;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts the elements of one file to settings and keyspaces. Used once. */
final class StorageConfReader {

  /** The elements that set a setting, from the declarations of the settings. */
  private static final Map<String, Setting<?>> SETTINGS =
      NodeSettings.ALL.stream().collect(toMap(Setting::elementName, setting -> setting));

  /** Further elements that have a meaning, beside those of {@link FamilyElements}. */
  static final Set<String> OTHERS =
      Set.of(
          "Keyspaces",
          "ReplicaPlacementStrategy",
          "ReplicationFactor",
          "Authenticator",
          "SnapshotBeforeCompaction",
          "CommitLogSyncBatchWindowInMS");

  private final ConfValues values;
  private final ComparatorResolver types;
  private final List<StorageConf.IgnoredElement> ignored = new ArrayList<>();
  private final Set<Setting<?>> given = new LinkedHashSet<>();
  private final FamilyElements families = new FamilyElements();

  private Map<String, XmlElement> present = Map.of();
  private @Nullable Snitch snitch;

  StorageConfReader(String file, ComparatorResolver types) {
    this.values = new ConfValues(file);
    this.types = types;
  }

  StorageConf read(XmlElement root, NodeSettings base) throws StorageConfException {
    NodeSettings settings = base;
    List<KeyspaceDefinition> keyspaces;
    switch (root.name()) {
      case "Storage" -> {
        settings = storage(root, settings);
        XmlElement list = present.get("Keyspaces");
        keyspaces = list == null ? List.of() : keyspaceReader().readAll(list);
      }
      case "Keyspaces" -> keyspaces = keyspaceReader().readAll(root);
      case "Keyspace" -> keyspaces = List.of(keyspaceReader().readOne(root));
      default ->
          throw values.error(
              root, "the root is <Storage>, <Keyspaces> or <Keyspace>; got <" + root.name() + ">");
    }
    if (snitch != null) {
      settings = settings.with(LocationSettings.SNITCH, snitch);
    }
    return new StorageConf(settings, keyspaces, ignored, given);
  }

  private KeyspaceConfReader keyspaceReader() {
    return new KeyspaceConfReader(values, types, this, present, families.defaults());
  }

  void ignore(String name, XmlElement element, String reason) {
    ignored.add(new StorageConf.IgnoredElement(name, element.line(), reason));
  }

  private NodeSettings storage(XmlElement root, NodeSettings base) throws StorageConfException {
    values.rejectAttributes(root);
    Map<String, XmlElement> elements = new HashMap<>();
    for (XmlElement element : root.children()) {
      XmlElement first = elements.putIfAbsent(element.name(), element);
      if (first != null) {
        throw values.error(
            element,
            "<" + element.name() + "> appears twice; the first is in line " + first.line());
      }
    }
    present = elements;
    NodeSettings settings = base;
    for (XmlElement element : root.children()) {
      settings = one(element, settings);
    }
    checkSync(settings.get(CommitLogOptions.SYNC));
    return settings;
  }

  private NodeSettings one(XmlElement e, NodeSettings settings) throws StorageConfException {
    if (!isKnown(e)) {
      throw unknown(e);
    }
    if (e.text().isEmpty() && e.children().isEmpty()) {
      values.rejectAttributes(e);
      return settings;
    }
    Setting<?> setting = SETTINGS.get(e.name());
    if (setting != null) {
      return set(e, setting, settings);
    }
    if (FamilyElements.isKnown(e.name())) {
      families.read(e, settings, values, this);
    } else {
      other(e);
    }
    return settings;
  }

  private static boolean isKnown(XmlElement e) {
    return SETTINGS.containsKey(e.name())
        || FamilyElements.isKnown(e.name())
        || OTHERS.contains(e.name())
        || IgnoredElements.reason(e.name()).isPresent();
  }

  private <T> NodeSettings set(XmlElement e, Setting<T> setting, NodeSettings settings)
      throws StorageConfException {
    Setting.Element<T> element = setting.element();
    T value = values.read(e, element.form(), text(e, setting, element.child()));
    given.add(setting);
    if (value instanceof Snitch found) {
      snitch(e, found);
    }
    NodeSettings result = values.checked(e, () -> settings.with(setting, value));
    Optional<Setting<T>> also =
        setting.alsoSets().filter(other -> !present.containsKey(other.elementName()));
    return also.isPresent() ? result.with(also.get(), value) : result;
  }

  private String text(XmlElement e, Setting<?> setting, String child) throws StorageConfException {
    if (child.isEmpty()) {
      return values.text(e);
    }
    return setting.equals(DirectorySettings.DATA)
        ? firstDirectory(e, child)
        : String.join(",", list(e, child));
  }

  /** Reads an element that sets no setting of the node. */
  private void other(XmlElement e) throws StorageConfException {
    switch (e.name()) {
      case "Authenticator" -> authenticator(e);
      case "SnapshotBeforeCompaction" -> snapshots(e);
      default -> {
        Optional<String> reason = IgnoredElements.reason(e.name());
        if (reason.isPresent()) {
          values.text(e);
          ignore(e.name(), e, reason.get());
        }
        // The rest is read with the keyspaces, or once the mode of the commit log is known.
      }
    }
  }

  private StorageConfException unknown(XmlElement e) {
    return values.error(
        e,
        e.name().equals("Tables")
            ? "<Tables> became <Keyspaces> in Cassandra 0.5: write <Keyspaces> with"
                + " <Keyspace Name=\"…\"> instead of <Table Name=\"…\">, and <ColumnFamily> with"
                + " CompareWith instead of ColumnSort"
            : "<" + e.name() + "> is not an element of <Storage>; check its spelling");
  }

  /** Reads the snitch of a keyspace, where releases before 0.6 had it. */
  void snitch(XmlElement e) throws StorageConfException {
    snitch(e, values.read(e, LocationSettings.SNITCH.form()));
  }

  private void snitch(XmlElement e, Snitch found) throws StorageConfException {
    if (snitch != null && snitch != found) {
      throw values.error(e, "a node has one snitch, but this file names a different one above");
    }
    snitch = found;
  }

  private void authenticator(XmlElement e) throws StorageConfException {
    String name = values.text(e);
    if (!name.endsWith("AllowAllAuthenticator")) {
      throw values.error(
          e,
          "<Authenticator>: this server has no authenticators of Cassandra, and no accounts in"
              + " files; got \""
              + name
              + "\". Remove the element, and protect the client port with"
              + " <ClientAuthentication>password</ClientAuthentication>.");
    }
    ignore(e.name(), e, "every client that reaches the client port is accepted, as it says");
  }

  private void snapshots(XmlElement e) throws StorageConfException {
    if (values.read(e, ValueForm.flag())) {
      throw values.error(
          e,
          "<SnapshotBeforeCompaction> cannot be true: snapshots are taken when they are asked for,"
              + " with `colonnade snapshot take`; set it to false");
    }
    ignore(e.name(), e, "no snapshots are taken before compactions, as it says");
  }

  private String firstDirectory(XmlElement e, String child) throws StorageConfException {
    List<String> directories = list(e, child);
    if (directories.size() > 1) {
      ignore(
          child,
          e.children().get(1),
          "all data files go to the first directory; join disks below the file system");
    }
    if (directories.isEmpty()) {
      throw values.error(e, "<DataFileDirectories> holds at least one <" + child + ">");
    }
    return directories.get(0);
  }

  private List<String> list(XmlElement e, String childName) throws StorageConfException {
    values.rejectAttributes(e);
    List<String> texts = new ArrayList<>();
    for (XmlElement child : e.children()) {
      if (!child.name().equals(childName)) {
        throw values.error(
            child, "<" + e.name() + "> holds <" + childName + ">; got <" + child.name() + ">");
      }
      String text = values.text(child);
      if (text.isEmpty()) {
        throw values.error(child, "<" + childName + "> is empty");
      }
      texts.add(text);
    }
    return texts;
  }

  /** Checks that the file has no element that belongs to the other mode of the commit log. */
  private void checkSync(Sync sync) throws StorageConfException {
    XmlElement period = present.get("CommitLogSyncPeriodInMS");
    if (period != null && !period.text().isEmpty()) {
      requireSync(period, sync, Sync.PERIODIC);
    }
    XmlElement window = present.get("CommitLogSyncBatchWindowInMS");
    if (window != null && !window.text().isEmpty()) {
      requireSync(window, sync, Sync.BATCH);
      values.read(window, ValueForm.number(0, 1_000));
      ignore(
          window.name(),
          window,
          "a sync waits for no further writes: those that come while it runs share the next one");
    }
  }

  private void requireSync(XmlElement e, Sync sync, Sync needed) throws StorageConfException {
    if (sync != needed) {
      throw values.error(
          e,
          "<" + e.name() + "> belongs to the other kind of <CommitLogSync>: remove one of the two");
    }
  }
}
