package sqe.jvm;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.classic.SparkSession;

/** Which files a session may read. A session about which nothing was said may read none. */
final class FileAccess {
  private static final Map SESSIONS = Collections.synchronizedMap(new WeakHashMap());
  /** Where clouds hand credentials to whoever asks from within a machine. */
  private static final String[] METADATA = {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16"};

  final String id = UUID.randomUUID().toString();
  final String folder;
  /** Connections that the session's reads have opened. */
  final Map sources = new HashMap();
  private final String user;
  private final List roles;
  private final Map rules;

  private FileAccess(Map facts) {
    user = (String) facts.get("user");
    roles = (List) facts.get("roles");
    folder = (String) facts.get("folder");
    rules = (Map) facts.get("rules");
  }

  static void put(SparkSession session, Map facts) {
    SESSIONS.put(session, new FileAccess(facts));
  }

  static void close(SparkSession session) {
    FileAccess access = (FileAccess) SESSIONS.remove(session);
    if (access != null) {
      RemoteFiles.close(access.sources);
    }
  }

  /** Whose session it is; null when nothing was said about it. */
  static String userOf(SparkSession session) {
    FileAccess access = (FileAccess) SESSIONS.get(session);
    return access == null ? null : access.user;
  }

  static FileAccess of(SparkSession session) {
    FileAccess access = (FileAccess) SESSIONS.get(session);
    if (access == null) {
      throw new NotAllowed("this session may not read files");
    }
    return access;
  }

  /** The person of a session; null when nothing was said about it. */
  static String user(SparkSession session) {
    FileAccess access = (FileAccess) SESSIONS.get(session);
    return access == null ? null : access.user;
  }

  /** The roles of that person, sorted. */
  static List roles(SparkSession session) {
    FileAccess access = (FileAccess) SESSIONS.get(session);
    return access == null ? Collections.EMPTY_LIST : access.roles;
  }

  /** Throws unless the rules allow the place and the credentials that came with the statement. */
  void check(FilePlace place, Map credentials) {
    if (!credentials.isEmpty()) {
      checkCredentials(credentials);
    }
    if (place.isLocal()) {
      checkLocal();
    } else if (place.isHttp()) {
      checkHost(place.authority);
    } else if (!isAllowedInStores(place.scheme, place.authority, FileSet.fixedPart(place.path))) {
      throw new NotAllowed(
          "reading " + place.scheme + "://" + place.authority
              + " at this place is not allowed\nstorage.tvf.allowed_object_store_prefixes lists what is");
    }
  }

  /** Throws when the place that a statement names for a table or schema is on this machine and the rules forbid it. */
  static void checkPlace(SparkSession session, String place) {
    String lower = place.trim().toLowerCase();
    boolean local = lower.startsWith("file:") || !lower.matches("[a-z][a-z0-9+.-]*:.*");
    if (local && !of(session).allowsLocal()) {
      throw new NotAllowed("places on this machine are not allowed\nstorage.tvf.allow_local_paths turns them on");
    }
  }

  private void checkLocal() {
    if (!allowsLocal()) {
      throw new NotAllowed("reading local files is not allowed\nstorage.tvf.allow_local_paths turns it on");
    }
  }

  private void checkCredentials(Map credentials) {
    if (!allows("allow_inline_credentials")) {
      throw new NotAllowed("credentials within a statement are not allowed\nsee storage.tvf.allow_inline_credentials");
    }
    if (credentials.containsKey("gcs_service_account_path")) {
      checkLocal();
    }
    if (credentials.containsKey("gcs_service_account_key") || credentials.containsKey("gcs_service_account_path")) {
      URI giver = GoogleToken.otherGiver(credentials);
      if (giver != null) {
        checkHost(giver.getAuthority());
      }
    }
    Object endpoint = credentials.get("endpoint");
    if (endpoint != null) {
      checkHost(URI.create((String) endpoint).getAuthority());
    }
  }

  /** Also called for every redirect and for every connection. */
  void checkHost(String authority) {
    if (authority == null || authority.length() == 0) {
      throw new WrongArguments("the address names no host");
    }
    if (!allows("allow_http")) {
      throw new NotAllowed("reading over HTTP is not allowed\nstorage.tvf.allow_http turns it on");
    }
    String host = hostOf(authority);
    List hosts = (List) rules.get("allowed_http_hosts");
    boolean listed = false;
    for (Iterator names = hosts.iterator(); names.hasNext() && !listed; ) {
      String name = ((String) names.next()).toLowerCase();
      listed =
          name.equals("*") || name.equals(host) || name.equals(authority.toLowerCase())
              || (name.startsWith("*.") && host.endsWith(name.substring(1)));
    }
    if (!listed) {
      throw new NotAllowed(
          "reading from the host " + host + " is not allowed\nstorage.tvf.allowed_http_hosts lists those that are");
    }
    checkAddresses(host);
  }

  /** Java keeps the answer for half a minute, so the connection that follows goes to an address that was seen here. */
  private void checkAddresses(String host) {
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException unknown) {
      throw new NotReachable("there is no host " + host);
    }
    for (int i = 0; i < addresses.length; i++) {
      boolean metadata = java.util.Arrays.asList(METADATA).contains(addresses[i].getHostAddress());
      if (metadata || (isPrivate(addresses[i]) && !allows("allow_private_addresses"))) {
        throw new NotAllowed("the host " + host + " has an address that may not be asked");
      }
    }
  }

  private static boolean isPrivate(InetAddress address) {
    byte[] bytes = address.getAddress();
    int first = bytes[0] & 255;
    int second = bytes[1] & 255;
    boolean carrier = first == 100 && second >= 64 && second < 128;
    boolean shared = bytes.length == 4 && (first == 0 || carrier || first >= 240);
    boolean unique = bytes.length == 16 && (first & 254) == 252;
    return shared
        || unique
        || address.isLoopbackAddress()
        || address.isAnyLocalAddress()
        || address.isLinkLocalAddress()
        || address.isSiteLocalAddress()
        || address.isMulticastAddress();
  }

  private static String hostOf(String authority) {
    String host = authority.toLowerCase();
    int colon = host.lastIndexOf(':');
    if (colon >= 0 && host.indexOf(']') < colon) {
      host = host.substring(0, colon);
    }
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  boolean allowsLocal() {
    return allows("allow_local_paths");
  }

  /** Called for each file far away before it is looked at; web servers are asked about at each connection. */
  void checkFile(Path path) {
    URI uri = path.toUri();
    if (!uri.getScheme().startsWith("http") && !isAllowedInStores(uri.getScheme(), uri.getAuthority(), uri.getPath())) {
      throw new NotAllowed("a file at " + uri.getScheme() + "://" + uri.getAuthority() + " may not be read");
    }
  }

  private boolean isAllowedInStores(String scheme, String authority, String path) {
    List admins = new ArrayList((List) rules.get("object_store_admin_roles"));
    admins.retainAll(roles);
    if (!admins.isEmpty()) {
      return true;
    }
    List wanted = parts(scheme, authority, path);
    for (Iterator prefixes = ((List) rules.get("allowed_object_store_prefixes")).iterator(); prefixes.hasNext(); ) {
      String prefix = (String) prefixes.next();
      if (prefix.equals("*")) {
        return true;
      }
      List allowed = allowedParts(prefix);
      if (allowed != null && wanted.size() >= allowed.size() && wanted.subList(0, allowed.size()).equals(allowed)) {
        return true;
      }
    }
    return false;
  }

  /** The parts of an allowed prefix, null for one that is of no use to this person. */
  private List allowedParts(String prefix) {
    boolean plainName = user.matches("[^/*?\\[\\]{}\\\\]+") && !user.equals(".") && !user.equals("..");
    if (prefix.indexOf("{user}") >= 0 && !plainName) {
      return null;
    }
    FilePlace place = FilePlace.of(prefix.replace("{user}", user), "/", Collections.EMPTY_MAP);
    return place.isLocal() || place.isHttp() ? null : parts(place.scheme, place.authority, place.path);
  }

  private static List parts(String scheme, String authority, String path) {
    List parts = new ArrayList();
    parts.add(scheme);
    parts.add(authority);
    String[] names = path.split("/");
    for (int i = 0; i < names.length; i++) {
      if (names[i].length() > 0) {
        parts.add(names[i]);
      }
    }
    return parts;
  }

  private boolean allows(String rule) {
    return Boolean.TRUE.equals(rules.get(rule));
  }
}
