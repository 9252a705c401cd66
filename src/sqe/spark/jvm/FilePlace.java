package sqe.jvm;

import java.nio.file.InvalidPathException;
import java.nio.file.Paths;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * Where files are, in one normal form: every spelling of a place becomes the same scheme, authority and path, and the
 * rules look at nothing else.
 */
final class FilePlace {
  private static final Pattern URL = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)(.*)", Pattern.DOTALL);
  private static final Pattern WITH_FILE = Pattern.compile("(?i)file:(?://)?(.*)", Pattern.DOTALL);

  final String scheme;
  final String authority;
  final String path;

  private FilePlace(String scheme, String authority, String path) {
    this.scheme = scheme;
    this.authority = authority;
    this.path = path;
  }

  static FilePlace of(String written, String folder, Map credentials) {
    if (written.trim().length() == 0 || written.indexOf(0) >= 0) {
      throw new WrongArguments("a path may not be empty");
    }
    Matcher file = WITH_FILE.matcher(written);
    if (file.matches()) {
      return ofFileUrl(file.group(1), written.toLowerCase().startsWith("file://"));
    }
    Matcher url = URL.matcher(written);
    return url.matches() ? ofUrl(url.group(1).toLowerCase(), url, credentials) : local(written, folder);
  }

  static boolean isFar(String written) {
    return URL.matcher(written).matches() && !WITH_FILE.matcher(written).matches();
  }

  private static FilePlace ofFileUrl(String rest, boolean withHost) {
    int slash = rest.indexOf('/');
    String host = withHost && slash >= 0 ? rest.substring(0, slash) : "";
    if (slash < 0 || (withHost ? !(host.length() == 0 || host.equalsIgnoreCase("localhost")) : slash != 0)) {
      throw new WrongArguments("a file: path begins with file:/ and is absolute");
    }
    return local(rest.substring(slash), "");
  }

  private static FilePlace ofUrl(String scheme, Matcher url, Map credentials) {
    String authority = url.group(2);
    String rest = url.group(3);
    if (scheme.equals("hf")) {
      Matcher hub = matched(HuggingFace.url(authority + rest));
      return ofUrl(hub.group(1), hub, credentials);
    }
    if (scheme.equals("http") || scheme.equals("https")) {
      if (authority.indexOf('@') >= 0) {
        throw new WrongArguments("an address may not hold a user or a password");
      }
      // Hadoop makes one slash of two.
      String sent = rest.replaceAll("#.*", "").replace("//", "/%2F");
      return new FilePlace(scheme, authority.toLowerCase(), sent.startsWith("/") ? sent : "/" + sent);
    }
    if (scheme.equals("s3") || scheme.equals("s3a") || scheme.equals("s3n")) {
      return stored("s3", authority, rest);
    }
    if (scheme.equals("gs") || scheme.equals("gcs")) {
      return stored("gs", authority, rest);
    }
    if (scheme.equals("abfss") || scheme.equals("abfs")) {
      return stored("abfss", authority, rest);
    }
    if (scheme.equals("az") || scheme.equals("azure")) {
      return stored("abfss", azureAuthority(authority, credentials), rest);
    }
    throw new NotOffered(
        "files at " + scheme + ":// cannot be read\n"
            + "known: file, s3, s3a, gs, gcs, abfss, abfs, az, azure, http, https, hf");
  }

  private static Matcher matched(String url) {
    Matcher matcher = URL.matcher(url);
    matcher.matches();
    return matcher;
  }

  /** `az://container/…` needs to know the account. */
  private static String azureAuthority(String container, Map credentials) {
    if (container.indexOf('@') >= 0) {
      return container;
    }
    Object account = credentials.get("azure_account");
    if (account == null) {
      throw new WrongArguments("az:// needs the account\nadd azure_account => '…', or write abfss://");
    }
    return container + "@" + account + ".dfs.core.windows.net";
  }

  private static FilePlace stored(String scheme, String authority, String rest) {
    boolean secretive = authority.indexOf(':') >= 0 || (authority.indexOf('@') >= 0 && !scheme.equals("abfss"));
    if (authority.length() == 0 || secretive) {
      throw new WrongArguments("a path at " + scheme + ":// names a bucket, without user or password");
    }
    String[] parts = rest.split("/", -1);
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].equals("..") || parts[i].equals(".")) {
        throw new WrongArguments("a path at " + scheme + ":// may not hold the part " + parts[i]);
      }
    }
    return new FilePlace(scheme, authority, rest.replaceAll("/+", "/").replaceAll("^$", "/"));
  }

  private static FilePlace local(String written, String folder) {
    boolean home = written.equals("~") || written.startsWith("~/");
    String text = home ? System.getProperty("user.home") + written.substring(1) : written;
    try {
      if (!text.startsWith("/") && !folder.startsWith("/")) {
        throw new WrongArguments("a relative path leads nowhere here\nwrite the whole path");
      }
      return new FilePlace("file", "", Paths.get(folder, new String[0]).resolve(text).normalize().toString());
    } catch (InvalidPathException wrong) {
      throw new WrongArguments("this is no path");
    }
  }

  boolean isLocal() {
    return scheme.equals("file");
  }

  boolean isHttp() {
    return scheme.startsWith("http");
  }

  /** As Hadoop writes it; the path is taken literally, whatever characters it holds. */
  Path hadoopPath(String path) {
    return new Path(scheme, isLocal() ? null : authority, path);
  }

  /** For messages; the parameters of an address may be secret. */
  String text() {
    String shown = isHttp() ? path.replaceAll("\\?.*", "") : path;
    return isLocal() ? shown : scheme + "://" + authority + shown;
  }
}
