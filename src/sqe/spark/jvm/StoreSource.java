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

  StoreSource(URI place, Map credentials, Configuration conf) {
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
      if (file.exists()) {
        return file(path, file.getLength(), 0);
      }
      if (below(path).iterator().hasNext()) {
        return folder(path);
      }
    } catch (RuntimeException problem) {
      throw told(problem, path);
    }
    throw new FileNotFoundException(address(path));
  }

  FileStatus[] list(Path path) throws IOException {
    Map children = new LinkedHashMap();
    String prefix = prefix(path);
    try {
      for (Iterator objects = below(path).iterator(); objects.hasNext(); ) {
        FileInfo object = (FileInfo) objects.next();
        String rest = object.location().substring(prefix.length());
        int slash = rest.indexOf('/');
        String name = slash < 0 ? rest : rest.substring(0, slash);
        if (name.length() > 0) {
          Path child = new Path(path, name);
          children.put(name, slash < 0 ? file(child, object.size(), object.createdAtMillis()) : folder(child));
        }
      }
    } catch (RuntimeException problem) {
      throw told(problem, path);
    }
    if (children.isEmpty()) {
      return new FileStatus[] {status(path)};
    }
    return (FileStatus[]) children.values().toArray(new FileStatus[children.size()]);
  }

  FSInputStream open(Path path) throws IOException {
    try {
      return new Input(store.newInputFile(address(path)).newStream());
    } catch (RuntimeException problem) {
      throw told(problem, path);
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

  private static String address(Path path) {
    URI uri = path.toUri();
    return uri.getScheme() + "://" + uri.getAuthority() + uri.getPath();
  }

  /** A store's own words, in one line. */
  private static IOException told(RuntimeException problem, Path path) {
    Throwable cause = problem;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String words = String.valueOf(cause.getMessage()).split("\n")[0];
    return new IOException(path.toUri().getScheme() + "://" + path.toUri().getAuthority() + " answers: " + words);
  }

  private static final class Input extends FSInputStream {
    private final SeekableInputStream in;

    Input(SeekableInputStream in) {
      this.in = in;
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
      return in.read();
    }

    public int read(byte[] bytes, int start, int length) throws IOException {
      return in.read(bytes, start, length);
    }

    public void close() throws IOException {
      in.close();
    }
  }
}
