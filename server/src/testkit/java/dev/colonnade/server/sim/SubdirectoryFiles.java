package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** The files below one directory of another file system. */
public final class SubdirectoryFiles implements FileSystem {

  private final FileSystem files;
  private final String directory;

  /** Takes {@code directory} for the root. */
  public SubdirectoryFiles(FileSystem files, String directory) {
    this.files = files;
    this.directory = directory;
  }

  private String path(String path) {
    return path.isEmpty() ? directory : directory + "/" + path;
  }

  @Override
  public WritableFile create(String path) throws IOException {
    return files.create(path(path));
  }

  @Override
  public WritableFile append(String path) throws IOException {
    return files.append(path(path));
  }

  @Override
  public ReadableFile open(String path) throws IOException {
    return files.open(path(path));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    files.rename(path(from), path(to));
  }

  @Override
  public void link(String existing, String name) throws IOException {
    files.link(path(existing), path(name));
  }

  @Override
  public void delete(String path) throws IOException {
    files.delete(path(path));
  }

  @Override
  public void createDirectories(String path) throws IOException {
    files.createDirectories(path(path));
  }

  @Override
  public List<String> list(String path) throws IOException {
    return files.list(path(path));
  }

  @Override
  public boolean exists(String path) throws IOException {
    return files.exists(path(path));
  }

  @Override
  public void syncDirectory(String path) throws IOException {
    files.syncDirectory(path(path));
  }

  @Override
  public Closeable lock(String path) throws IOException {
    return files.lock(path(path));
  }

  @Override
  public long usableBytes() throws IOException {
    return files.usableBytes();
  }

  @Override
  public String describe(String path) {
    return files.describe(path(path));
  }
}
