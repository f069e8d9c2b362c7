package dev.colonnade.server.base.model;

/**
 * Orders, validates and prints the names of one level of a column family: columns, super columns,
 * or subcolumns.
 *
 * <p>This is also the interface of a user's own comparator: a public class with a public
 * constructor without parameters, in a jar in the node's plug-in folder, named by its class name in
 * {@code compare_with} or {@code compare_subcolumns_with}.
 *
 * <p>The order must be total over valid names, and must never change once data was written with it:
 * it decides where bytes lie on disk. Two names that compare as equal are the same column.
 * Implementations are stateless and thread-safe, must not change the arrays they are given, and
 * must not throw from {@link #compare} for names that {@link #validate} accepts.
 */
public interface ColumnComparator {

  /**
   * The name that schemas and answers show: short for the built-in types, the class name otherwise.
   */
  String typeName();

  /** Negative, zero or positive as {@code left} sorts before, with or after {@code right}. */
  int compare(byte[] left, byte[] right);

  /**
   * Accepts or refuses a name. Lengths of 0 and above 65,535 never get here.
   *
   * @throws InvalidNameException says what is wrong and what would be right
   */
  void validate(byte[] name) throws InvalidNameException;

  /** Formats a valid name for people. */
  String display(byte[] name);

  /**
   * Parses a name that a person typed.
   *
   * @throws InvalidNameException if the text cannot be read as this type
   */
  byte[] parse(String text) throws InvalidNameException;

  /**
   * Returns the canonical one of all spellings that compare as equal, so that replicas can compare
   * names as bytes. Types whose names have one spelling only need not override this.
   */
  default byte[] canonical(byte[] name) {
    return name;
  }
}
