package dev.colonnade.cli.shell.statement;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** One statement of the shell. Enumerations and names of types stand as written, unchecked. */
public sealed interface Statement {

  /** Where it begins. */
  Position position();

  /** A statement that changes columns, and may stand between {@code batch} and {@code end}. */
  sealed interface Change extends Statement permits Put, Delete {}

  /** {@code use K}. */
  record Use(Position position, String keyspace) implements Statement {}

  /** {@code connect host/port} or {@code connect host:port}. */
  record Connect(Position position, String host, int port) implements Statement {}

  /**
   * {@code get CF['k']…}: a row, a super column, a column, or a slice of the former.
   *
   * @param as the type to show the value of one column in
   */
  record Get(Position position, Path path, SliceClause slice, Optional<String> as)
      implements Statement {}

  /** {@code multiget CF['a', 'b', …]['super'] from X limit n}. */
  record Multiget(Position position, Path family, List<Literal> keys, SliceClause slice)
      implements Statement {
    /** Copies the list. */
    public Multiget {
      keys = List.copyOf(keys);
    }
  }

  /**
   * {@code set CF['k']['c'] = value with ttl = n and timestamp = t}.
   *
   * @param ttlSeconds empty for the family's
   */
  record Put(
      Position position, Path path, Literal value, OptionalInt ttlSeconds, OptionalLong timestamp)
      implements Change {}

  /**
   * {@code del CF['k']…}, also of a range of names, {@code from X to Y}.
   *
   * @param timestamp of {@code with timestamp = t}
   */
  record Delete(Position position, Path path, SliceClause slice, OptionalLong timestamp)
      implements Change {}

  /** {@code count CF['k']…}. */
  record Count(Position position, Path path, SliceClause slice) implements Statement {}

  /**
   * {@code list CF[a:b] limit n columns m reversed}: rows of a range of keys.
   *
   * @param keysOnly {@code keys CF[a:b]}: without their columns
   * @param limit of rows
   * @param columns the slice of each row
   */
  record ListRows(
      Position position,
      Path family,
      Optional<Literal> from,
      Optional<Literal> to,
      OptionalInt limit,
      boolean keysOnly,
      SliceClause columns)
      implements Statement {}

  /** {@code touch CF['a', 'b', …]}. */
  record Touch(Position position, Path family, List<Literal> keys) implements Statement {
    /** Copies the list. */
    public Touch {
      keys = List.copyOf(keys);
    }
  }

  /**
   * {@code search index CF['k'][id] 'text', … with 'p', … payload 'text'}: indexes a document.
   *
   * @param document a row with one name, the document's id
   * @param payload empty for none
   */
  record IndexDocument(
      Position position,
      Path document,
      List<String> texts,
      List<String> participants,
      String payload)
      implements Statement {
    /** Copies the lists. */
    public IndexDocument {
      texts = List.copyOf(texts);
      participants = List.copyOf(participants);
    }
  }

  /** {@code search delete CF['k'][id]}. */
  record DeleteDocument(Position position, Path document) implements Statement {}

  /**
   * {@code search terms CF['k'] all 'text' any 'text' phrase 'text' prefix 'text' with 'p', … best
   * limit n}: finds documents; texts that are not given are empty.
   */
  record SearchTerms(
      Position position,
      Path row,
      String allOf,
      String anyOf,
      String phrase,
      String prefix,
      List<String> participants,
      boolean bestFirst,
      OptionalInt limit)
      implements Statement {
    /** Copies the list. */
    public SearchTerms {
      participants = List.copyOf(participants);
    }
  }

  /** {@code search with CF['k'] 'p' limit n}: lists what was exchanged with somebody. */
  record SearchWith(Position position, Path row, String participant, OptionalInt limit)
      implements Statement {}

  /** {@code truncate CF}. */
  record Truncate(Position position, Path family) implements Statement {}

  /**
   * {@code batch; … end;}: changes to rows of one keyspace, applied in one call. The parts of one
   * row are applied together.
   */
  record Batch(Position position, List<Change> changes) implements Statement {
    /** Copies the list. */
    public Batch {
      changes = List.copyOf(changes);
    }
  }

  /**
   * {@code assume [CF] comparator|sub_comparator|validator|keys as TYPE}.
   *
   * @param family empty for all families
   * @param attribute in lower case
   */
  record Assume(Position position, Optional<Path> family, String attribute, String type)
      implements Statement {}

  /** {@code consistencylevel as LEVEL}. */
  record SetConsistency(Position position, String level) implements Statement {}

  /** {@code create|update keyspace K with …}. */
  record DefineKeyspace(
      Position position, boolean create, String keyspace, List<Attribute> attributes)
      implements Statement {
    /** Copies the list. */
    public DefineKeyspace {
      attributes = List.copyOf(attributes);
    }
  }

  /** {@code create|update column family CF with …}. */
  record DefineFamily(Position position, boolean create, Path family, List<Attribute> attributes)
      implements Statement {
    /** Copies the list. */
    public DefineFamily {
      attributes = List.copyOf(attributes);
    }
  }

  /** {@code drop keyspace K}. */
  record DropKeyspace(Position position, String keyspace) implements Statement {}

  /** {@code drop column family CF}. */
  record DropFamily(Position position, Path family) implements Statement {}

  /** What {@code describe} is about. */
  enum Described {
    /** {@code describe cluster}. */
    CLUSTER,
    /** {@code describe keyspace K}; without a name the one in use. */
    KEYSPACE,
    /** {@code describe column family CF}. */
    FAMILY,
    /** {@code describe NAME}: a keyspace or a family, whichever there is. */
    EITHER
  }

  /** {@code describe …}. */
  record Describe(
      Position position, Described what, Optional<String> keyspace, Optional<String> name)
      implements Statement {}

  /** What {@code show} shows. */
  enum Shown {
    /** All keyspaces with their families. */
    KEYSPACES,
    /** The cluster's name. */
    CLUSTER_NAME,
    /** The version of the contract. */
    API_VERSION,
    /** A script that creates the keyspaces again. */
    SCHEMA
  }

  /**
   * {@code show keyspaces|cluster name|api version|schema [K]}.
   *
   * @param keyspace only of it
   */
  record Show(Position position, Shown what, Optional<String> keyspace) implements Statement {}

  /**
   * {@code stats on|off}, {@code output classic|table|json}, {@code timing on|off}, {@code trace
   * on|off}.
   */
  record Setting(Position position, String name, String value) implements Statement {}

  /** {@code flush [CF …]} and {@code compact [CF …]}: of the keyspace in use, or of one family. */
  record Maintain(
      Position position, boolean compact, Optional<String> keyspace, List<String> families)
      implements Statement {
    /** Copies the list. */
    public Maintain {
      families = List.copyOf(families);
    }
  }

  /** What an operator looks at. */
  enum Aspect {
    /** {@code ring}: the nodes and their tokens. */
    RING,
    /** {@code ring tokens}: the same with whole tokens. */
    RING_TOKENS,
    /** {@code info}: the connected node. */
    INFO,
    /** {@code stats}: what its families hold and cost. */
    STATS,
    /** {@code stages}: the work that waits in it, and its messages. */
    STAGES,
    /** {@code gossip}: what it has heard of others. */
    GOSSIP,
    /** {@code hints}: what waits there for others. */
    HINTS
  }

  /** {@code ring}, {@code info}, {@code stats}, {@code stages}, {@code gossip}, {@code hints}. */
  record Look(Position position, Aspect aspect) implements Statement {}

  /** {@code endpoints [K] 'key'}: who holds a row. */
  record Endpoints(Position position, Optional<String> keyspace, Literal key)
      implements Statement {}

  /** {@code drain}. */
  record Drain(Position position) implements Statement {}

  /** {@code repair [CF …]}: of the keyspace in use, or of one family. */
  record Repair(Position position, Optional<String> keyspace, List<String> families)
      implements Statement {
    /** Copies the list. */
    public Repair {
      families = List.copyOf(families);
    }
  }

  /** {@code cleanup [CF …]}: of the keyspace in use, or of one family. */
  record Cleanup(Position position, Optional<String> keyspace, List<String> families)
      implements Statement {
    /** Copies the list. */
    public Cleanup {
      families = List.copyOf(families);
    }
  }

  /** {@code scrub [CF …]}: of the keyspace in use, or of one family. */
  record Scrub(Position position, Optional<String> keyspace, List<String> families)
      implements Statement {
    /** Copies the list. */
    public Scrub {
      families = List.copyOf(families);
    }
  }

  /** What is done with snapshots. */
  enum SnapshotAction {
    TAKE,
    LIST,
    CLEAR
  }

  /**
   * {@code snapshot take NAME [of KEYSPACE …] [everywhere]}, {@code snapshot list [everywhere]} and
   * {@code snapshot clear NAME [everywhere]}.
   *
   * @param name empty to list
   * @param keyspaces to take; empty for all but {@code system}
   * @param families of the one keyspace; empty for all
   */
  record Snapshot(
      Position position,
      SnapshotAction action,
      String name,
      List<String> keyspaces,
      List<String> families,
      boolean everywhere)
      implements Statement {
    /** Copies the lists. */
    public Snapshot {
      keyspaces = List.copyOf(keyspaces);
      families = List.copyOf(families);
    }
  }

  /** {@code loadbalance}. */
  record LoadBalance(Position position) implements Statement {}

  /**
   * {@code decommission [force]}.
   *
   * @param force even if a keyspace then wants more copies of a row than there are nodes
   */
  record Decommission(Position position, boolean force) implements Statement {}

  /** {@code move TOKEN}. */
  record Move(Position position, String token) implements Statement {}

  /**
   * {@code remove NODE [force]}: a dead node, by its id.
   *
   * @param force even if a keyspace then wants more copies of a row than there are nodes
   */
  record Remove(Position position, String nodeId, boolean force) implements Statement {}

  /**
   * {@code copy CF to 'file'} and {@code copy CF from 'file'}.
   *
   * @param family without a key
   * @param toFile whether the file is written, and not read
   */
  record Copy(
      Position position, Path family, boolean toFile, String file, List<Attribute> attributes)
      implements Statement {
    /** Copies the list. */
    public Copy {
      attributes = List.copyOf(attributes);
    }
  }

  /** {@code login NAME}: asks for the password. */
  record Login(Position position, String user) implements Statement {}

  /** {@code logout}. */
  record Logout(Position position) implements Statement {}

  /** {@code whoami}. */
  record WhoAmI(Position position) implements Statement {}

  /**
   * {@code create user NAME with …} and {@code alter user NAME [password] with …}. No password
   * stands in it: it is asked for, or read from a file.
   *
   * @param newPassword whether the user gets a password; one is asked for unless an attribute names
   *     its file, or says that there is none
   */
  record DefineUser(
      Position position,
      boolean create,
      String user,
      boolean newPassword,
      List<Attribute> attributes)
      implements Statement {
    /** Copies the list. */
    public DefineUser {
      attributes = List.copyOf(attributes);
    }
  }

  /** {@code create role NAME}. */
  record CreateRole(Position position, String role) implements Statement {}

  /** {@code drop user|role NAME}. */
  record DropAccount(Position position, boolean user, String account) implements Statement {}

  /**
   * {@code grant P, … on … to NAME} and {@code revoke P, … on … from NAME}.
   *
   * @param permissions in upper case, or {@code ALL} alone
   * @param cluster on the whole cluster; otherwise on a family, or a keyspace
   * @param keyspace empty for the one in use, of a family
   * @param family empty for all of the keyspace
   */
  record GrantPermissions(
      Position position,
      boolean grant,
      List<String> permissions,
      boolean cluster,
      Optional<String> keyspace,
      Optional<String> family,
      String account)
      implements Statement {
    /** Copies the list. */
    public GrantPermissions {
      permissions = List.copyOf(permissions);
    }
  }

  /** {@code grant role R to NAME} and {@code revoke role R from NAME}. */
  record GrantRole(Position position, boolean grant, String role, String account)
      implements Statement {}

  /** What is listed of accounts. */
  enum AccountAspect {
    /** {@code show users}. */
    USERS,
    /** {@code show roles}. */
    ROLES,
    /** {@code show permissions}. */
    PERMISSIONS
  }

  /**
   * {@code show users|roles|permissions [of NAME]}.
   *
   * @param of members of a role, roles of an account, or its permissions; empty for all
   */
  record ShowAccounts(Position position, AccountAspect aspect, Optional<String> of)
      implements Statement {}

  /** {@code capture 'file'}, or {@code capture off} for the empty text. */
  record Capture(Position position, String file) implements Statement {}

  /** {@code source 'file'}: the statements of a file. */
  record Source(Position position, String file) implements Statement {}

  /**
   * {@code help [topic]} or {@code ?}.
   *
   * @param topic words in lower case with one blank between; empty for the list
   */
  record Help(Position position, String topic) implements Statement {}

  /** {@code exit} or {@code quit}. */
  record Exit(Position position) implements Statement {}
}
