package dev.colonnade.client;

import java.util.List;

/**
 * Defines keyspaces and column families while the cluster runs. Methods wait, at most for the
 * client's deadline, and throw {@link ColonnadeException}: {@link AlreadyExistsException}, {@link
 * NotFoundException}, {@link InvalidRequestException}, {@link PreconditionFailedException} for a
 * change that data on disk forbids. Thread-safe.
 *
 * <pre>{@code
 * Schema schema = client.schema();
 * schema.create(
 *     KeyspaceDefinition.named("Shop")
 *         .with(ColumnFamilyDefinition.standard("Customers", Comparators.UTF8))
 *         .with(
 *             ColumnFamilyDefinition.superFamily(
 *                 "Orders", Comparators.TIME_UUID, Comparators.UTF8)));
 * schema.update(
 *     "Shop", ColumnFamilyDefinition.changesOf("Orders").withComment("newest last"));
 * schema.createIfAbsent(
 *     KeyspaceDefinition.named("Shop")
 *         .with(ColumnFamilyDefinition.standard("Customers", Comparators.UTF8))
 *         .with(ColumnFamilyDefinition.standard("Visits", Comparators.LONG)));
 * System.out.println(schema.keyspace("Shop").columnFamilies().size()); // prints 3
 * ColumnFamilyDefinition orders = schema.keyspace("Shop").columnFamily("Orders").orElseThrow();
 * System.out.println(orders.isSuper()); // prints true
 * System.out.println(orders.comment()); // prints newest last
 * schema.dropKeyspace("Shop");
 * }</pre>
 */
public final class Schema {

  private final AsyncSchema async;

  Schema(AsyncSchema async) {
    this.async = async;
  }

  /** The same with futures. */
  public AsyncSchema async() {
    return async;
  }

  /** The same, called with other options. */
  public Schema with(CallOptions other) {
    return new Schema(async.with(other));
  }

  /** All keyspaces by name, {@code system} included. */
  public List<KeyspaceDefinition> keyspaces() {
    return Transport.await(async.keyspaces());
  }

  /**
   * One keyspace, with every setting.
   *
   * @throws NotFoundException if there is none of that name
   */
  public KeyspaceDefinition keyspace(String name) {
    return Transport.await(async.keyspace(name));
  }

  /**
   * Creates a keyspace with its families.
   *
   * @throws PreconditionFailedException if it wants more copies of each row than there are nodes
   */
  public void create(KeyspaceDefinition keyspace) {
    create(keyspace, false);
  }

  /**
   * As {@link #create(KeyspaceDefinition)}.
   *
   * @param force even if it wants more copies of each row than there are nodes, or than there are
   *     in a data centre: levels that count on all copies cannot be met then
   */
  public void create(KeyspaceDefinition keyspace, boolean force) {
    Transport.await(async.create(keyspace, force));
  }

  /**
   * Creates a keyspace with its families, or, where it exists, those families that it has not.
   * Several programs may do so at the same time. Settings of what exists stay as they are.
   *
   * @return whether anything was created
   * @throws IllegalStateException if a family exists with another type or with other comparators,
   *     which nothing can change
   */
  public boolean createIfAbsent(KeyspaceDefinition keyspace) {
    return Transport.await(async.createIfAbsent(keyspace));
  }

  /**
   * Creates a column family unless it exists; see {@link #createIfAbsent(KeyspaceDefinition)}.
   *
   * @return whether it was created
   * @throws NotFoundException if there is no such keyspace
   * @throws IllegalStateException if it exists with another type or with other comparators
   */
  public boolean createIfAbsent(String keyspace, ColumnFamilyDefinition family) {
    return Transport.await(async.createIfAbsent(keyspace, family));
  }

  /**
   * Changes the settings of a keyspace that the definition has; families stay as they are.
   *
   * @throws PreconditionFailedException if it would want more copies of each row than there are
   *     nodes
   */
  public void update(KeyspaceDefinition keyspace) {
    update(keyspace, false);
  }

  /**
   * As {@link #update(KeyspaceDefinition)}.
   *
   * @param force as with {@link #create(KeyspaceDefinition, boolean)}
   */
  public void update(KeyspaceDefinition keyspace, boolean force) {
    Transport.await(async.update(keyspace, force));
  }

  /** Drops a keyspace with its families and all their data. */
  public void dropKeyspace(String name) {
    Transport.await(async.dropKeyspace(name));
  }

  /** Creates a column family. */
  public void create(String keyspace, ColumnFamilyDefinition family) {
    Transport.await(async.create(keyspace, family));
  }

  /**
   * Changes the settings of a family that the definition has, and no others: {@link
   * ColumnFamilyDefinition#changesOf} begins one that knows neither type nor comparators. Those
   * cannot change.
   */
  public void update(String keyspace, ColumnFamilyDefinition family) {
    Transport.await(async.update(keyspace, family));
  }

  /** Drops a column family with all its data. */
  public void dropColumnFamily(String keyspace, String name) {
    Transport.await(async.dropColumnFamily(keyspace, name));
  }
}
