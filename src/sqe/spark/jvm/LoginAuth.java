package sqe.jvm;

import java.util.Collections;
import java.util.Map;
import org.apache.iceberg.rest.HTTPHeaders;
import org.apache.iceberg.rest.HTTPRequest;
import org.apache.iceberg.rest.ImmutableHTTPRequest;
import org.apache.iceberg.rest.RESTClient;
import org.apache.iceberg.rest.auth.AuthManager;
import org.apache.iceberg.rest.auth.AuthSession;

/**
 * Every call to a REST catalog carries the token of the person whose session it is, as it is at that moment. What the
 * catalog's server says about credentials does not change that.
 */
public final class LoginAuth implements AuthManager {
  static final String REFERENCE = "sqe.login";
  private String reference;

  public LoginAuth(String catalog) {}

  public AuthSession initSession(RESTClient client, Map properties) {
    return session(properties);
  }

  public AuthSession catalogSession(RESTClient client, Map properties) {
    return session(properties);
  }

  public AuthSession tableSession(RESTClient client, Map properties) {
    return session(properties);
  }

  public void close() {}

  private synchronized AuthSession session(Map properties) {
    // The first properties are ours; later ones are mixed with what the server answered.
    if (reference == null) {
      reference = (String) properties.get(REFERENCE);
    }
    return new Bearer(reference);
  }

  private static final class Bearer implements AuthSession {
    private final String reference;

    Bearer(String reference) {
      this.reference = reference;
    }

    public HTTPRequest authenticate(HTTPRequest request) {
      Map header = Collections.singletonMap("Authorization", "Bearer " + LoginTokens.get(reference));
      // Ours first: a header that is there already would win otherwise.
      HTTPHeaders headers = HTTPHeaders.of(header).putIfAbsent(request.headers());
      return ImmutableHTTPRequest.builder().from(request).headers(headers).build();
    }

    public void close() {}
  }
}
