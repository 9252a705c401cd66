package sqe.jvm;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BufferedFSInputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * Files far away as Hadoop sees them. Whoever reads must have been allowed to by `ReadFiles`: a setting of the read
 * names the session and the keys. Hadoop's own cache knows neither and is not used; connections are kept with them.
 */
public final class RemoteFiles extends FileSystem {
  static final String ACCESS = "fs.sqe.access";

  private static final Map GRANTS = new ConcurrentHashMap();
  /** Those that can be read, as `FilePlace` writes them; the others are refused here. */
  private static final String[] KNOWN = {"s3", "gs", "abfss", "http", "https"};
  private static final String[] SCHEMES = {
    "file", "s3", "gs", "abfss", "http", "https", "s3a", "s3n", "abfs", "wasb", "wasbs", "hdfs", "viewfs", "har", "ftp",
    "webhdfs", "swebhdfs", "sftp",
  };
  private static final int BUFFER = 1 << 16;

  private URI place;
  private FileAccess access;
  private RemoteSource source;

  public RemoteFiles() {}

  /** Lets reads that carry the answer as their setting do what `access` allows, with these keys. */
  static String allow(FileAccess access, String secret) {
    for (Iterator grants = GRANTS.values().iterator(); grants.hasNext(); ) {
      if (((WeakReference) grants.next()).get() == null) {
        grants.remove();
      }
    }
    GRANTS.put(access.id, new WeakReference(access));
    return secret == null ? access.id : access.id + " " + secret;
  }

  /**
   * Has a read ask here about whatever file it comes to. A Delta table names its files, and may name others than its
   * own: the rules about the path of the table do not cover them.
   */
  static void serveAll(Map options, FileAccess access) {
    for (int i = 0; i < SCHEMES.length; i++) {
      boolean disk = SCHEMES[i].equals("file") && access.allowsLocal();
      options.put("fs." + SCHEMES[i] + ".impl", disk ? "sqe.jvm.LocalFiles" : "sqe.jvm.RemoteFiles");
      options.put("fs." + SCHEMES[i] + ".impl.disable.cache", String.valueOf(!disk));
    }
  }

  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    setConf(conf);
    place = URI.create(name.getScheme() + "://" + name.getRawAuthority());
    String[] grant = conf.get(ACCESS, "").split(" ");
    WeakReference known = (WeakReference) GRANTS.get(grant[0]);
    access = known == null ? null : (FileAccess) known.get();
    if (access == null || !Arrays.asList(KNOWN).contains(name.getScheme())) {
      throw new NotAllowed("files at " + name.getScheme() + ":// are read by read_csv and its like");
    }
    source = source(grant.length > 1 ? grant[1] : null, conf);
  }

  private RemoteSource source(String secret, Configuration conf) {
    Map sources = secret == null ? access.sources : Secrets.sources(secret);
    synchronized (sources) {
      RemoteSource found = (RemoteSource) sources.get(place);
      if (found == null) {
        boolean http = place.getScheme().startsWith("http");
        found = http ? (RemoteSource) new HttpSource(access) : new StoreSource(place, Secrets.get(secret), conf);
        sources.put(place, found);
      }
      return found;
    }
  }

  static void close(Map sources) {
    synchronized (sources) {
      for (Iterator all = sources.values().iterator(); all.hasNext(); ) {
        ((RemoteSource) all.next()).close();
      }
      sources.clear();
    }
  }

  public URI getUri() {
    return place;
  }

  public String getScheme() {
    return place.getScheme();
  }

  /** A bucket's name need not be that of a host. */
  protected void checkPath(Path path) {}

  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    access.checkFile(path);
    return new FSDataInputStream(new BufferedFSInputStream(source.open(path), BUFFER));
  }

  public FileStatus getFileStatus(Path path) throws IOException {
    access.checkFile(path);
    return source.status(path);
  }

  public FileStatus[] listStatus(Path path) throws IOException {
    access.checkFile(path);
    return source.list(path);
  }

  public Path getWorkingDirectory() {
    return new Path(place.toString() + "/");
  }

  public void setWorkingDirectory(Path folder) {}

  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    throw readOnly();
  }

  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw readOnly();
  }

  public boolean rename(Path from, Path to) {
    throw readOnly();
  }

  public boolean delete(Path path, boolean recursive) {
    throw readOnly();
  }

  public boolean mkdirs(Path path, FsPermission permission) {
    throw readOnly();
  }

  private static RuntimeException readOnly() {
    return new UnsupportedOperationException("files far away are only read");
  }
}
