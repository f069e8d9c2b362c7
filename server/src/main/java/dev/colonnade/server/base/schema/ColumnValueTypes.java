package dev.colonnade.server.base.schema;

import java.util.Collections;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the values of columns of certain names are, for people: types by names. As the text of a
 * field {@code hex=Type} for each, with commas between them, in the order of the bytes. Immutable.
 *
 * @param types by names in hexadecimal digits
 */
public record ColumnValueTypes(Map<String, String> types) {

  /** What {@link #isType} asks for, in words. */
  public static final String RULE_OF_TYPES =
      "has types of letters, digits, dots and underscores, at most 200";

  private static final int MAX_COLUMNS = 1_000;
  private static final int MAX_CHARACTERS = 65_536;
  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9_.]{1,200}");
  private static final Pattern NAME = Pattern.compile("([0-9a-f]{2})+");

  /** Copies the map. */
  public ColumnValueTypes {
    types = Collections.unmodifiableMap(new TreeMap<>(types));
  }

  /** Reads the text of a field; what is wrong with it, {@link #complaint} tells. */
  public static ColumnValueTypes parse(String text) {
    Map<String, String> types = new TreeMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      int equals = each.indexOf('=');
      types.put(each.substring(0, Math.max(0, equals)), each.substring(equals + 1));
    }
    return new ColumnValueTypes(types);
  }

  /** The digits by which a name stands here. */
  public static String digits(byte[] name) {
    return HexFormat.of().formatHex(name);
  }

  /** The text of a field. */
  public String text() {
    return types.entrySet().stream()
        .map(each -> each.getKey() + "=" + each.getValue())
        .collect(Collectors.joining(","));
  }

  /** What breaks the rules, or nothing. */
  String complaint() {
    if (types.size() > MAX_COLUMNS) {
      return "has at most " + MAX_COLUMNS + " columns; got " + types.size();
    }
    if (text().length() > MAX_CHARACTERS) {
      return "takes at most " + MAX_CHARACTERS + " characters, two for each byte of a name";
    }
    for (Map.Entry<String, String> each : types.entrySet()) {
      if (!NAME.matcher(each.getKey()).matches()) {
        return "has names of at least one byte";
      }
      if (!isType(each.getValue())) {
        return RULE_OF_TYPES + "; got " + Names.quote(each.getValue());
      }
    }
    return "";
  }

  /** Whether it can be the name of a type, known here or not. */
  public static boolean isType(String name) {
    return TYPE.matcher(name).matches();
  }
}
