package dev.colonnade.server.service.rpc;

/**
 * The machine-readable reasons in {@code google.rpc.ErrorInfo}. They are part of the contract:
 * {@code docs/errors.md} says for each what it means for the data and what to do, and a test
 * compares the two lists.
 */
final class ErrorReasons {

  static final String DOMAIN = "colonnade";

  static final String INVALID_REQUEST = "INVALID_REQUEST";
  static final String INVALID_PAGE_TOKEN = "INVALID_PAGE_TOKEN";
  static final String REQUEST_TOO_LARGE = "REQUEST_TOO_LARGE";
  static final String REPEATED_SEQUENCE = "REPEATED_SEQUENCE";
  static final String SEQUENCE_GAPS = "SEQUENCE_GAPS";
  static final String UNKNOWN_CALL = "UNKNOWN_CALL";
  static final String SYSTEM_KEYSPACE_READ_ONLY = "SYSTEM_KEYSPACE_READ_ONLY";
  static final String KEYSPACE_NOT_FOUND = "KEYSPACE_NOT_FOUND";
  static final String COLUMN_FAMILY_NOT_FOUND = "COLUMN_FAMILY_NOT_FOUND";
  static final String COLUMN_NOT_FOUND = "COLUMN_NOT_FOUND";
  static final String KEYSPACE_EXISTS = "KEYSPACE_EXISTS";
  static final String COLUMN_FAMILY_EXISTS = "COLUMN_FAMILY_EXISTS";
  static final String COMPARATOR_CANNOT_CHANGE = "COMPARATOR_CANNOT_CHANGE";
  static final String SCHEMA_DISAGREEMENT = "SCHEMA_DISAGREEMENT";
  static final String RESPONSE_TOO_LARGE = "RESPONSE_TOO_LARGE";
  static final String NODE_NOT_READY = "NODE_NOT_READY";
  static final String RING_CHANGE_FAILED = "RING_CHANGE_FAILED";
  static final String NOT_ENOUGH_NODES = "NOT_ENOUGH_NODES";
  static final String NOT_ENOUGH_REPLICAS = "NOT_ENOUGH_REPLICAS";
  static final String REPLICA_TIMEOUT = "REPLICA_TIMEOUT";
  static final String OVERLOADED = "OVERLOADED";
  static final String DISK_FULL = "DISK_FULL";
  static final String CHECKSUM_FAILURE = "CHECKSUM_FAILURE";
  static final String RECORDS_NOT_APPLIED = "RECORDS_NOT_APPLIED";
  static final String ROWS_OUT_OF_ORDER = "ROWS_OUT_OF_ORDER";
  static final String NOT_A_REPLICA = "NOT_A_REPLICA";
  static final String RING_CHANGING = "RING_CHANGING";
  static final String FAMILY_CHANGED = "FAMILY_CHANGED";
  static final String CHUNK_DAMAGED = "CHUNK_DAMAGED";
  static final String LOAD_ABANDONED = "LOAD_ABANDONED";
  static final String STORAGE_FAILED = "STORAGE_FAILED";
  static final String CREDENTIALS_MISSING = "CREDENTIALS_MISSING";
  static final String CREDENTIALS_REFUSED = "CREDENTIALS_REFUSED";
  static final String TOKEN_EXPIRED = "TOKEN_EXPIRED";
  static final String LOGIN_THROTTLED = "LOGIN_THROTTLED";
  static final String PERMISSION_DENIED = "PERMISSION_DENIED";
  static final String AUTHENTICATION_OFF = "AUTHENTICATION_OFF";
  static final String ACCOUNT_NOT_FOUND = "ACCOUNT_NOT_FOUND";
  static final String ACCOUNT_EXISTS = "ACCOUNT_EXISTS";
  static final String LAST_ADMINISTRATOR = "LAST_ADMINISTRATOR";
  static final String CANCELLED = "CANCELLED";
  static final String INTERNAL_ERROR = "INTERNAL_ERROR";

  private ErrorReasons() {}
}
