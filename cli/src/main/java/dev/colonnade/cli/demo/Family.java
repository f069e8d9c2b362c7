package dev.colonnade.cli.demo;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;

/**
 * A column family of a walkthrough.
 *
 * @param compareWith the comparator of the names directly under a row
 * @param compareSubcolumnsWith the comparator inside super columns; empty for a Standard family
 */
record Family(String keyspace, String name, String compareWith, String compareSubcolumnsWith) {

  static Family standard(String keyspace, String name, String compareWith) {
    return new Family(keyspace, name, compareWith, "");
  }

  static Family ofSuperColumns(
      String keyspace, String name, String compareWith, String compareSubcolumnsWith) {
    return new Family(keyspace, name, compareWith, compareSubcolumnsWith);
  }

  boolean holdsSuperColumns() {
    return !compareSubcolumnsWith.isEmpty();
  }

  /** How names directly under a row are written. */
  NameForm names() {
    return NameForm.of(compareWith);
  }

  /** How the names of columns are written, wherever the columns are. */
  NameForm columnNames() {
    return holdsSuperColumns() ? NameForm.of(compareSubcolumnsWith) : names();
  }

  ColumnFamilyDef definition() {
    return ColumnFamilyDef.newBuilder()
        .setKeyspace(keyspace)
        .setName(name)
        .setColumnType(
            holdsSuperColumns() ? ColumnType.COLUMN_TYPE_SUPER : ColumnType.COLUMN_TYPE_STANDARD)
        .setCompareWith(compareWith)
        .setCompareSubcolumnsWith(compareSubcolumnsWith)
        .build();
  }

  /** The definition on one line. */
  String described() {
    return described(definition());
  }

  static String described(ColumnFamilyDef family) {
    String order = family.getName() + ": ";
    return family.getColumnType() == ColumnType.COLUMN_TYPE_SUPER
        ? order
            + "Super, compare_with "
            + family.getCompareWith()
            + ", compare_subcolumns_with "
            + family.getCompareSubcolumnsWith()
        : order + "Standard, compare_with " + family.getCompareWith();
  }

  /** The row as a person would write it. */
  String row(String key) {
    return keyspace + "." + name + "['" + key + "']";
  }
}
