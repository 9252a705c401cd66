package sqe.jvm;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.io.SupportsPrefixOperations;

/** An object store, read by the client that Iceberg's tables are read with. */
final class StoreSource extends RemoteSource {
  private final FileIO store;
  private final Map credentials;
  private final boolean azure;

  StoreSource(URI place, Map credentials, Configuration conf) {
    this.credentials = credentials;
    this.azure = place.getScheme().equals("abfss");
    Map settings = new HashMap();
    String kind;
    if (place.getScheme().equals("s3")) {
      kind = "org.apache.iceberg.aws.s3.S3FileIO";
      amazon(credentials, settings);
    } else if (place.getScheme().equals("gs")) {
      kind = "org.apache.iceberg.gcp.gcs.GCSFileIO";
      google(credentials, settings);
    } else {
      kind = "org.apache.iceberg.azure.adlsv2.ADLSFileIO";
      azure(place.getRawAuthority(), credentials, settings);
    }
    try {
      store = CatalogUtil.loadFileIO(kind, settings, conf);
    } catch (NoClassDefFoundError missing) {
      throw new NotReachable("the jars for " + place.getScheme() + ":// are not there");
    }
  }

  private static void amazon(Map credentials, Map settings) {
    copy(credentials, "access_key", settings, "s3.access-key-id");
    copy(credentials, "secret_key", settings, "s3.secret-access-key");
    copy(credentials, "session_token", settings, "s3.session-token");
    copy(credentials, "region", settings, "client.region");
    if (credentials.containsKey("endpoint")) {
      // Servers that are not Amazon's have one host for all buckets, and regions mean little to them.
      settings.put("s3.endpoint", credentials.get("endpoint"));
      settings.put("s3.path-style-access", "true");
      settings.putIfAbsent("client.region", "us-east-1");
    }
  }

  private static void google(Map credentials, Map settings) {
    copy(credentials, "endpoint", settings, "gcs.service.host");
    if (credentials.containsKey("gcs_service_account_key") || credentials.containsKey("gcs_service_account_path")) {
      settings.put("gcs.oauth2.token", GoogleToken.of(credentials));
    } else if (credentials.containsKey("endpoint")) {
      settings.put("gcs.no-auth", "true");
    }
  }

  private static void azure(String authority, Map credentials, Map settings) {
    String host = authority.substring(authority.indexOf('@') + 1);
    String account = host.indexOf('.') < 0 ? host : host.substring(0, host.indexOf('.'));
    copy(credentials, "azure_sas_token", settings, "adls.sas-token." + host);
    if (credentials.containsKey("azure_access_key")) {
      settings.put("adls.auth.shared-key.account.name", account);
      settings.put("adls.auth.shared-key.account.key", credentials.get("azure_access_key"));
    }
    if (credentials.containsKey("endpoint")) {
      settings.put("adls.connection-string." + host, credentials.get("endpoint"));
    }
  }

  private static void copy(Map from, String name, Map to, String other) {
    if (from.containsKey(name)) {
      to.put(other, from.get(name));
    }
  }

  FileStatus status(Path path) throws IOException {
    if (path.isRoot()) {
      return folder(path);
    }
    try {
      InputFile file = store.newInputFile(address(path));
      boolean exists = file.exists();
      // A folder of Azure's says that it exists, and is empty.
      if (exists && file.getLength() > 0) {
        return file(path, file.getLength(), 0);
      }
      if (hasChildren(path)) {
        return folder(path);
      }
      if (exists) {
        return file(path, 0, 0);
      }
    } catch (RuntimeException problem) {
      throw StoreAnswer.of(problem, path, credentials);
    }
    throw new FileNotFoundException(address(path));
  }

  FileStatus[] list(Path path) throws IOException {
    Map children;
    try {
      children = azure ? AzureListing.children(store, prefix(path), key(path), path) : children(path);
    } catch (RuntimeException problem) {
      throw StoreAnswer.of(problem, path, credentials);
    }
    if (children.isEmpty()) {
      return new FileStatus[] {status(path)};
    }
    return (FileStatus[]) children.values().toArray(new FileStatus[children.size()]);
  }

  private Map children(Path path) {
    Map children = new LinkedHashMap();
    String prefix = prefix(path);
    String folder = path.isRoot() ? "/" : path.toUri().getPath() + "/";
    for (Iterator objects = below(path).iterator(); objects.hasNext(); ) {
      FileInfo object = (FileInfo) objects.next();
      String rest = object.location().substring(prefix.length());
      int slash = rest.indexOf('/');
      String name = slash < 0 ? rest : rest.substring(0, slash);
      if (name.length() > 0) {
        Path child = new Path(path.toUri().getScheme(), path.toUri().getAuthority(), folder + name);
        children.put(name, slash < 0 ? file(child, object.size(), object.createdAtMillis()) : folder(child));
      }
    }
    return children;
  }

  private boolean hasChildren(Path path) {
    return azure
        ? !AzureListing.children(store, prefix(path), key(path), path).isEmpty()
        : below(path).iterator().hasNext();
  }

  FSInputStream open(Path path) throws IOException {
    try {
      return new Input(store.newInputFile(address(path)).newStream(), path, credentials);
    } catch (RuntimeException problem) {
      throw StoreAnswer.ofContent(problem, path, credentials);
    }
  }

  void close() {
    store.close();
  }

  private Iterable below(Path path) {
    return ((SupportsPrefixOperations) store).listPrefix(prefix(path));
  }

  private static String prefix(Path path) {
    String address = address(path);
    return address.endsWith("/") ? address : address + "/";
  }

  /** Within the bucket: empty, or with a slash at its end. */
  private static String key(Path path) {
    return path.isRoot() ? "" : path.toUri().getPath().substring(1) + "/";
  }

  private static String address(Path path) {
    URI uri = path.toUri();
    return uri.getScheme() + "://" + uri.getAuthority() + uri.getPath();
  }

  private static final class Input extends FSInputStream {
    private final SeekableInputStream in;
    private final Path path;
    private final Map credentials;

    Input(SeekableInputStream in, Path path, Map credentials) {
      this.in = in;
      this.path = path;
      this.credentials = credentials;
    }

    public void seek(long place) throws IOException {
      in.seek(place);
    }

    public long getPos() throws IOException {
      return in.getPos();
    }

    public boolean seekToNewSource(long place) {
      return false;
    }

    public int read() throws IOException {
      try {
        return in.read();
      } catch (RuntimeException problem) {
        throw StoreAnswer.ofContent(problem, path, credentials);
      }
    }

    public int read(byte[] bytes, int start, int length) throws IOException {
      try {
        return in.read(bytes, start, length);
      } catch (RuntimeException problem) {
        throw StoreAnswer.ofContent(problem, path, credentials);
      }
    }

    public void close() throws IOException {
      in.close();
    }
  }
}
