package sqe.jvm;

import java.io.UnsupportedEncodingException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import org.apache.spark.unsafe.types.UTF8String;

/** Parts of addresses; text that is no address has none, NULL. */
public final class Urls {
  private Urls() {}

  private static URI uri(UTF8String value) {
    try {
      return new URI(value.toString());
    } catch (URISyntaxException wrong) {
      return null;
    }
  }

  public static UTF8String part(UTF8String value, UTF8String name) {
    URI uri = uri(value);
    if (uri == null) {
      return null;
    }
    String part = name.toString();
    String found = part.equals("protocol") ? uri.getScheme()
        : part.equals("host") ? uri.getHost()
        : part.equals("path") ? uri.getPath()
        : part.equals("query") ? uri.getQuery() : uri.getFragment();
    return UTF8String.fromString(found == null ? "" : found);
  }

  public static Long port(UTF8String value) {
    URI uri = uri(value);
    return uri == null || uri.getPort() < 0 ? null : Long.valueOf(uri.getPort());
  }

  public static UTF8String parameter(UTF8String value, UTF8String name) {
    URI uri = uri(value);
    if (uri == null || uri.getRawQuery() == null) {
      return null;
    }
    String[] parts = uri.getRawQuery().split("&");
    for (int i = 0; i < parts.length; i++) {
      int at = parts[i].indexOf('=');
      String key = at < 0 ? parts[i] : parts[i].substring(0, at);
      if (decoded(key).equals(name.toString())) {
        return UTF8String.fromString(at < 0 ? "" : decoded(parts[i].substring(at + 1)));
      }
    }
    return null;
  }

  public static UTF8String encode(UTF8String value) {
    try {
      return UTF8String.fromString(URLEncoder.encode(value.toString(), "UTF-8"));
    } catch (UnsupportedEncodingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public static UTF8String decode(UTF8String value) {
    return UTF8String.fromString(decoded(value.toString()));
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, "UTF-8");
    } catch (IllegalArgumentException wrong) {
      throw new BadValue("not encoded for a URL: " + text);
    } catch (UnsupportedEncodingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
