package dev.colonnade.server.base.config;

import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import java.util.List;
import java.util.Set;

/**
 * The content of a storage-conf.xml of Cassandra 0.5 or 0.6, or of a piece of one.
 *
 * @param settings what the file gives, over the settings it was read on top of
 * @param keyspaces definitions, checked one by one
 * @param ignored what the file has without effect, with the reason
 * @param given the settings that it names
 */
public record StorageConf(
    NodeSettings settings,
    List<KeyspaceDefinition> keyspaces,
    List<IgnoredElement> ignored,
    Set<Setting<?>> given) {

  /**
   * An element or attribute without effect.
   *
   * @param name of the element, or {@code Element@Attribute}
   * @param line where it stands, from 1
   * @param reason why nothing needs to happen, or what happens instead
   */
  public record IgnoredElement(String name, int line, String reason) {}

  /** Copies the lists. */
  public StorageConf {
    keyspaces = List.copyOf(keyspaces);
    ignored = List.copyOf(ignored);
    given = Set.copyOf(given);
  }

  /**
   * Reads a file whose root is {@code <Storage>}, {@code <Keyspaces>} or {@code <Keyspace>}.
   *
   * @param file its name, for messages
   * @param content its bytes
   * @param base settings that absent elements leave unchanged
   * @param types finds the comparators that families name
   * @throws StorageConfException at the first error, with line, column and reason
   */
  public static StorageConf parse(
      String file, byte[] content, NodeSettings base, ComparatorResolver types)
      throws StorageConfException {
    return new StorageConfReader(file, types).read(XmlDocument.read(file, content), base);
  }
}
