package dev.colonnade.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns records into columns and back: each component is a column, named as it is, or by {@link
 * ColumnName}. Immutable and thread-safe.
 *
 * <ul>
 *   <li>Components are text, {@code int}, {@code long}, {@code double}, {@code boolean} (or their
 *       boxes), {@link UUID}, {@link Instant}, {@code byte[]}, an enum (by the name of its
 *       constant), or of a type with a serializer of your own ({@link #of(Class, Map)}). {@link
 *       Serializers} says what their bytes are.
 *   <li>An {@link Optional} of these may be without a column; any other component needs one.
 *   <li>Columns that the record does not have are left alone, so a later version of a program may
 *       add components, which are then optional.
 * </ul>
 */
public final class RowMapper<R extends Record> {

  private static final Map<Class<?>, Serializer<?>> KNOWN =
      Map.ofEntries(
          Map.entry(String.class, Serializers.UTF8),
          Map.entry(int.class, Serializers.INT),
          Map.entry(Integer.class, Serializers.INT),
          Map.entry(long.class, Serializers.LONG),
          Map.entry(Long.class, Serializers.LONG),
          Map.entry(double.class, Serializers.DOUBLE),
          Map.entry(Double.class, Serializers.DOUBLE),
          Map.entry(boolean.class, Serializers.BOOLEAN),
          Map.entry(Boolean.class, Serializers.BOOLEAN),
          Map.entry(UUID.class, Serializers.UUIDS),
          Map.entry(Instant.class, Serializers.INSTANT),
          Map.entry(byte[].class, Serializers.BYTES));

  private record Component(
      String name, Method accessor, boolean optional, Serializer<Object> serializer) {}

  private final Class<R> type;
  private final Map<Class<?>, Serializer<?>> serializers;
  private final Constructor<R> constructor;
  private final List<Component> components;

  private RowMapper(Class<R> type, Map<Class<?>, Serializer<?>> serializers) {
    this.type = type;
    this.serializers = serializers;
    this.components = new ArrayList<>();
    Set<String> names = new HashSet<>();
    List<Class<?>> types = new ArrayList<>();
    for (RecordComponent each : type.getRecordComponents()) {
      Component component = component(each);
      if (!names.add(component.name)) {
        throw new IllegalArgumentException(
            type.getName() + " has two components for the column " + component.name);
      }
      components.add(component);
      types.add(each.getType());
    }
    if (components.isEmpty()) {
      throw new IllegalArgumentException(type.getName() + " has no component, so no column");
    }
    try {
      this.constructor = type.getDeclaredConstructor(types.toArray(Class<?>[]::new));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every record has this constructor, this one has not", e);
    }
    constructor.setAccessible(true);
  }

  /**
   * A mapper of a record.
   *
   * @throws IllegalArgumentException if it has no component, two for one column, or one of a type
   *     that is not known
   */
  public static <R extends Record> RowMapper<R> of(Class<R> type) {
    return new RowMapper<>(type, KNOWN);
  }

  /**
   * A mapper of a record with components of other types, or with other bytes for one that is known.
   *
   * @param others by the type of the component
   * @throws IllegalArgumentException as {@link #of(Class)}
   */
  public static <R extends Record> RowMapper<R> of(
      Class<R> type, Map<Class<?>, Serializer<?>> others) {
    Map<Class<?>, Serializer<?>> all = new HashMap<>(KNOWN);
    all.putAll(others);
    return new RowMapper<>(type, Map.copyOf(all));
  }

  private Component component(RecordComponent component) {
    ColumnName named = component.getAnnotation(ColumnName.class);
    String name = named == null ? component.getName() : named.value();
    if (name.isEmpty()) {
      throw new IllegalArgumentException(
          type.getName() + "." + component.getName() + " has an empty name, which no column has");
    }
    boolean optional = component.getType() == Optional.class;
    Type value =
        optional && component.getGenericType() instanceof ParameterizedType of
            ? of.getActualTypeArguments()[0]
            : component.getType();
    Method accessor = component.getAccessor();
    accessor.setAccessible(true);
    return new Component(name, accessor, optional, serializer(component, value));
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // The map has serializers of the types of its keys.
  private Serializer<Object> serializer(RecordComponent component, Type value) {
    Serializer<?> known = value instanceof Class<?> plain ? serializers.get(plain) : null;
    if (known == null && value instanceof Class<?> plain && plain.isEnum()) {
      known = new ConstantNames(plain.asSubclass(Enum.class));
    }
    if (known == null) {
      throw new IllegalArgumentException(
          type.getName()
              + "."
              + component.getName()
              + " is of "
              + value.getTypeName()
              + ", for which there is no serializer; give one to RowMapper.of");
    }
    return (Serializer<Object>) known;
  }

  /** Constants of an enum by their names. */
  private record ConstantNames<E extends Enum<E>>(Class<E> type) implements Serializer<E> {
    @Override
    public byte[] toBytes(E value) {
      return Serializers.UTF8.toBytes(value.name());
    }

    @Override
    public E fromBytes(byte[] bytes) {
      return Enum.valueOf(type, Serializers.UTF8.fromBytes(bytes));
    }
  }

  /** The names of the columns, in the order of the components. */
  public List<String> names() {
    return components.stream().map(Component::name).toList();
  }

  /**
   * The columns of a record, in the order of the components; none for what is empty.
   *
   * @throws IllegalArgumentException if a component is null, or has no bytes
   */
  public List<Column<String, byte[]>> columns(R record) {
    List<Column<String, byte[]>> columns = new ArrayList<>();
    for (Component component : components) {
      Object value = value(record, component);
      if (value != null) {
        columns.add(Column.of(component.name, component.serializer.toBytes(value)));
      }
    }
    return columns;
  }

  /** The names of the columns that the record does not have: those of components that are empty. */
  public List<String> absent(R record) {
    return components.stream()
        .filter(component -> value(record, component) == null)
        .map(Component::name)
        .toList();
  }

  /** The value of a component; null if it is an empty Optional. */
  private @Nullable Object value(R record, Component component) {
    Object value;
    try {
      value = component.accessor.invoke(record);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException("the component " + component.name + " throws", e);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("the accessor was made accessible, and is not", e);
    }
    if (value == null) {
      throw new IllegalArgumentException(
          type.getName() + "." + component.name + " is null; make it an Optional to leave it out");
    }
    return component.optional ? ((Optional<?>) value).orElse(null) : value;
  }

  /**
   * The record of columns; empty if there is none of its columns.
   *
   * @throws IllegalArgumentException if a column that the record needs is missing, or has bytes
   *     that are no value of its type
   */
  public Optional<R> record(List<Column<String, byte[]>> columns) {
    Map<String, byte[]> values = new HashMap<>();
    columns.forEach(column -> values.put(column.name(), column.value()));
    @Nullable Object[] arguments = new @Nullable Object[components.size()];
    boolean any = false;
    String missing = null;
    for (int i = 0; i < arguments.length; i++) {
      Component component = components.get(i);
      byte[] bytes = values.get(component.name);
      Object value = bytes == null ? null : read(component, bytes);
      any |= bytes != null;
      if (bytes == null && !component.optional && missing == null) {
        missing = component.name;
      }
      arguments[i] = component.optional ? Optional.ofNullable(value) : value;
    }
    if (!any) {
      return Optional.empty();
    }
    if (missing != null) {
      throw new IllegalArgumentException(
          type.getName()
              + " needs the column "
              + missing
              + ", which the row does not have; make the component an Optional if it may be missing");
    }
    return Optional.of(made(arguments));
  }

  private Object read(Component component, byte[] bytes) {
    try {
      return component.serializer.fromBytes(bytes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the column " + component.name + " of " + type.getName() + ": " + e.getMessage(), e);
    }
  }

  private R made(@Nullable Object[] arguments) {
    try {
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException(
          type.getName() + " does not take what the row has: " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the constructor was made accessible, and is not", e);
    }
  }
}
