package dev.colonnade.cli.demo.basics;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializer;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * Order is a matter of the family: four names as numbers and as text, and two addresses as super
 * columns, which are sorted outside and inside.
 */
public final class SortingWalkthrough implements Walkthrough {

  private static final String ROW = "names";
  private static final String OWNER = "arin";

  /** As the article lists them before they are sorted. */
  private static final Map<Long, String> UNSORTED = unsorted();

  /** For the list of walkthroughs. */
  public SortingWalkthrough() {}

  @Override
  public String name() {
    return "sorting";
  }

  @Override
  public String title() {
    return "Sorting: columns are sorted by name, and the family says how";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named("Sorting")
        .with(ColumnFamilyDefinition.standard("Numbers", Comparators.LONG))
        .with(ColumnFamilyDefinition.standard("Texts", Comparators.UTF8))
        .with(ColumnFamilyDefinition.superFamily("Addresses", Comparators.UTF8, Comparators.UTF8));
  }

  @Override
  public void run(Guide guide) {
    Keyspace keyspace = guide.client().keyspace("Sorting");

    guide.say("Under LongType a name is a number of 64 bits.");
    String numbers = sorted(guide, keyspace, "Numbers", Serializers.LONG, name -> name);
    guide.check("LongType sorts by number: 3 123 976 832416", "3 123 976 832416", numbers);

    guide.say("Under UTF8Type the same names are text.");
    String texts = sorted(guide, keyspace, "Texts", Serializers.UTF8, String::valueOf);
    guide.check("UTF8Type sorts by character: 123 3 832416 976", "123 3 832416 976", texts);

    addresses(guide, keyspace);
  }

  private static <N> String sorted(
      Guide guide, Keyspace keyspace, String family, Serializer<N> names, LongFunction<N> name) {
    ColumnFamily<String, N, String> columns =
        keyspace.columnFamily(family, Serializers.UTF8, names, Serializers.UTF8);
    UNSORTED.forEach(
        (number, value) ->
            guide.tell(
                "set " + family + "['" + ROW + "'][" + number + "] = '" + value + "';",
                () -> columns.insert(ROW, name.apply(number), value)));
    List<Column<N, String>> found =
        guide.ask(
            "get " + family + "['" + ROW + "'];",
            () -> columns.slice(ROW, Slice.all()),
            SortingWalkthrough::map);
    return found.stream()
        .map(column -> String.valueOf(column.name()))
        .collect(Collectors.joining(" "));
  }

  private static void addresses(Guide guide, Keyspace keyspace) {
    SuperColumnFamily<String, String, String, String> addresses =
        keyspace.superColumnFamily(
            "Addresses", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    guide.say("Super columns have two orders. Work is written before home, the street first:");
    for (String address : List.of("workAddress", "homeAddress")) {
      for (Column<String, String> column :
          List.of(
              Column.of("street", "1234 x street"),
              Column.of("city", "san francisco"),
              Column.of("zip", "94107"))) {
        guide.tell(
            "set Addresses['%s']['%s']['%s'] = '%s';"
                .formatted(OWNER, address, column.name(), column.value()),
            () -> addresses.insert(OWNER, address, column.name(), column.value()));
      }
    }
    List<SuperColumn<String, String, String>> found =
        guide.ask(
            "get Addresses['" + OWNER + "'];",
            () -> addresses.slice(OWNER, Slice.all()),
            SortingWalkthrough::nested);
    guide.check(
        "homeAddress comes before workAddress",
        List.of("homeAddress", "workAddress"),
        found.stream().map(SuperColumn::name).toList());
    for (SuperColumn<String, String, String> address : found) {
      guide.check(
          "inside " + address.name() + " the columns are sorted: city, street, zip",
          "city=san francisco, street=1234 x street, zip=94107",
          map(address.columns()));
    }
  }

  private static <N, V> Map<N, V> map(List<Column<N, V>> columns) {
    Map<N, V> map = new LinkedHashMap<>();
    columns.forEach(column -> map.put(column.name(), column.value()));
    return map;
  }

  private static Map<String, Map<String, String>> nested(
      List<SuperColumn<String, String, String>> superColumns) {
    Map<String, Map<String, String>> map = new LinkedHashMap<>();
    superColumns.forEach(each -> map.put(each.name(), map(each.columns())));
    return map;
  }

  private static Map<Long, String> unsorted() {
    Map<Long, String> names = new LinkedHashMap<>();
    names.put(123L, "hello there");
    names.put(832416L, "kjjkbcjkcbbd");
    names.put(3L, "101010101010");
    names.put(976L, "kjjkbcjkcbbd");
    return names;
  }
}
