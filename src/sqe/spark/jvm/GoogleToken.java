package sqe.jvm;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Map;

/** A token for Google's storage from the key of a service account; Google's classes come with the group gcp. */
final class GoogleToken {
  private static final String SCOPE = "https://www.googleapis.com/auth/devstorage.read_only";

  private GoogleToken() {}

  static String of(Map credentials) {
    try {
      InputStream key = new ByteArrayInputStream(key(credentials));
      Class kind = Class.forName("com.google.auth.oauth2.GoogleCredentials");
      Object account = kind.getMethod("fromStream", new Class[] {InputStream.class}).invoke(null, new Object[] {key});
      Object scoped =
          kind.getMethod("createScoped", new Class[] {java.util.Collection.class})
              .invoke(account, new Object[] {Collections.singletonList(SCOPE)});
      Object token = kind.getMethod("refreshAccessToken", new Class[0]).invoke(scoped, new Object[0]);
      return (String) token.getClass().getMethod("getTokenValue", new Class[0]).invoke(token, new Object[0]);
    } catch (ClassNotFoundException missing) {
      throw new NotReachable("the jars for gs:// are not there");
    } catch (Exception wrong) {
      // Whatever the reason, its text may hold a part of the key.
      throw new NotReachable("the key of the Google service account cannot be used");
    }
  }

  private static byte[] key(Map credentials) throws IOException {
    Object written = credentials.get("gcs_service_account_key");
    if (written != null) {
      return ((String) written).getBytes("UTF-8");
    }
    return Files.readAllBytes(Paths.get((String) credentials.get("gcs_service_account_path"), new String[0]));
  }
}
