package dev.colonnade.server.base.config;

/** Where the value of a setting comes from; later ones override those before. */
public enum SettingOrigin {
  /** It is the default, on this machine and for this data directory. */
  DEFAULT,
  /** It follows from another setting, or from a file that another setting names. */
  DERIVED,
  /** The configuration file. */
  FILE,
  /** A variable of the environment. */
  ENVIRONMENT,
  /** The command line. */
  OPTION,
  /** It was changed while the node ran. */
  RUNTIME
}
