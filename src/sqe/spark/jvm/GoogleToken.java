package sqe.jvm;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Map;

/** A token for Google's storage from the key of a service account; Google's classes come with the group gcp. */
final class GoogleToken {
  private static final String SCOPE = "https://www.googleapis.com/auth/devstorage.read_only";
  private static final String ACCOUNT = "com.google.auth.oauth2.ServiceAccountCredentials";
  private static final String GOOGLE = "https://oauth2.googleapis.com/token";

  private GoogleToken() {}

  /** Where the key says that tokens are given out, null for Google's own address: a key can name any host. */
  static URI otherGiver(Map credentials) {
    try {
      Object address = key(credentials).get("token_uri");
      return address == null || GOOGLE.equals(address) ? null : new URI((String) address);
    } catch (Exception wrong) {
      throw unusable();
    }
  }

  /** Other kinds of keys can name commands, files and hosts to get a token from; they are not taken. */
  static String of(Map credentials) {
    try {
      // Written anew, so that what was looked at is what is used.
      InputStream key = new ByteArrayInputStream(Json.text(key(credentials)).getBytes("UTF-8"));
      Class kind = Class.forName(ACCOUNT);
      Object account = kind.getMethod("fromStream", new Class[] {InputStream.class}).invoke(null, new Object[] {key});
      Object scoped =
          kind.getMethod("createScoped", new Class[] {java.util.Collection.class})
              .invoke(account, new Object[] {Collections.singletonList(SCOPE)});
      Object token = kind.getMethod("refreshAccessToken", new Class[0]).invoke(scoped, new Object[0]);
      return (String) token.getClass().getMethod("getTokenValue", new Class[0]).invoke(token, new Object[0]);
    } catch (ClassNotFoundException missing) {
      throw new NotReachable("the jars for gs:// are not there");
    } catch (Exception wrong) {
      throw unusable();
    }
  }

  /** Whatever the reason, its text may hold a part of the key. */
  private static RuntimeException unusable() {
    return new NotReachable("the key of the Google service account cannot be used");
  }

  private static Map key(Map credentials) throws Exception {
    String written = (String) credentials.get("gcs_service_account_key");
    if (written != null) {
      return Json.map(written);
    }
    String path = (String) credentials.get("gcs_service_account_path");
    return Json.map(new String(Files.readAllBytes(Paths.get(path, new String[0])), "UTF-8"));
  }
}
