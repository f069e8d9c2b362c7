package dev.colonnade.cli.local.convert;

import dev.colonnade.cli.CommandException;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** The nodes of a YAML file with the lines where they stand. Nothing is constructed of them. */
final class YamlFile {

  /** A name, its value, and the line of the name, from 1. */
  record Field(String name, Node value, int line) {}

  private final String name;
  private final List<Field> fields;

  private YamlFile(String name, @Nullable Node root) throws CommandException {
    this.name = name;
    this.fields = root == null ? List.of() : fields(root);
  }

  static YamlFile parse(String name, byte[] content) throws CommandException {
    LoaderOptions options = new LoaderOptions();
    // What a settings file needs by far.
    options.setNestingDepthLimit(20);
    options.setMaxAliasesForCollections(0);
    try (InputStreamReader text =
        new InputStreamReader(new ByteArrayInputStream(content), StandardCharsets.UTF_8)) {
      return new YamlFile(name, new Yaml(options).compose(text));
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      throw CommandException.misconfigured(
          name + ":" + line + ": this is not YAML: " + e.getProblem(), e);
    } catch (YAMLException | java.io.IOException e) {
      throw CommandException.misconfigured(name + ": this is not YAML: " + e.getMessage(), e);
    }
  }

  String name() {
    return name;
  }

  /** The fields of the file, in its order. */
  List<Field> fields() {
    return fields;
  }

  /** The fields of a field. */
  List<Field> fieldsOf(Field field) throws CommandException {
    return isEmpty(field.value()) ? List.of() : fields(field.value());
  }

  /** The parts of a list. */
  List<Node> parts(Field field) throws CommandException {
    if (isEmpty(field.value())) {
      return List.of();
    }
    if (field.value() instanceof SequenceNode list) {
      return list.getValue();
    }
    throw error(field.line(), field.name() + " is a list, with a - in front of each part");
  }

  /** The fields of all parts of a list. */
  List<Field> fieldsOfList(Field field) throws CommandException {
    List<Field> all = new ArrayList<>();
    for (Node part : parts(field)) {
      all.addAll(fields(part));
    }
    return all;
  }

  /** The fields of a node. */
  List<Field> fields(Node node) throws CommandException {
    if (!(node instanceof MappingNode mapping)) {
      throw error(lineOf(node), "expected lines with a name, a colon and a value");
    }
    List<Field> found = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (NodeTuple each : mapping.getValue()) {
      if (!(each.getKeyNode() instanceof ScalarNode key)) {
        throw error(lineOf(each.getKeyNode()), "a name is text");
      }
      if (!names.add(key.getValue())) {
        throw error(lineOf(key), key.getValue() + " appears twice");
      }
      found.add(new Field(key.getValue(), each.getValueNode(), lineOf(key)));
    }
    return found;
  }

  /** Whether a field has no value. */
  boolean isEmpty(Field field) {
    return isEmpty(field.value());
  }

  /** The text of a field; empty without a value. */
  String text(Field field) throws CommandException {
    return text(field.name(), field.value());
  }

  /** The texts of a list. */
  List<String> texts(Field field) throws CommandException {
    List<String> texts = new ArrayList<>();
    for (Node part : parts(field)) {
      texts.add(text(field.name(), part));
    }
    return texts;
  }

  /** A whole number that is not negative. */
  long wholeNumber(Field field) throws CommandException {
    String text = text(field);
    if (!text.matches("[0-9]{1,9}")) {
      throw error(field.line(), field.name() + " is a whole number; got \"" + text + "\"");
    }
    return Long.parseLong(text);
  }

  /** A number that is not negative. */
  double number(Field field) throws CommandException {
    String text = text(field);
    if (!text.matches("[0-9]{1,12}(\\.[0-9]{1,12})?")) {
      throw error(field.line(), field.name() + " is a number; got \"" + text + "\"");
    }
    return Double.parseDouble(text);
  }

  /** An error of the file, for its author. */
  CommandException error(int line, String message) {
    String whole = name + ":" + line + ": " + message;
    return CommandException.misconfigured(whole, new IllegalArgumentException(whole));
  }

  private String text(String what, Node node) throws CommandException {
    if (isEmpty(node)) {
      return "";
    }
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw error(lineOf(node), what + " is a single value");
  }

  private static boolean isEmpty(Node node) {
    return node.getTag().equals(Tag.NULL);
  }

  private static int lineOf(Node node) {
    return node.getStartMark() == null ? 1 : node.getStartMark().getLine() + 1;
  }
}
