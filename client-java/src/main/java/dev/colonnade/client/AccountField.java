package dev.colonnade.client;

/**
 * A field of an account as a snapshot has it, for {@link Accounts#restore}.
 *
 * @param account its name
 * @param field its name, as nodes store it
 * @param changedMicros when it was changed, in microseconds since 1970
 * @param value of a password a salted hash; empty if it was taken away then
 */
public record AccountField(String account, String field, long changedMicros, String value) {

  dev.colonnade.admin.v1.AccountField message() {
    return dev.colonnade.admin.v1.AccountField.newBuilder()
        .setAccount(account)
        .setField(field)
        .setChangedMicros(changedMicros)
        .setValue(value)
        .build();
  }

  /** Without the value, which may be secret. */
  @Override
  public String toString() {
    return account + "/" + field + "@" + changedMicros;
  }
}
