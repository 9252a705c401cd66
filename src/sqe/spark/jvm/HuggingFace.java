package sqe.jvm;

import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** `hf://datasets/owner/name@revision/path` as the address that the hub serves it from. */
public final class HuggingFace {
  private static final Pattern FORM =
      Pattern.compile("(datasets|models|spaces)/([^/@?]+)/([^/@?]+)(?:@([^/?]+))?/([^?]+)(?:\\?(.*))?");
  private static final String USUAL = "https://huggingface.co";

  private HuggingFace() {}

  /** The address for what follows `hf://`. */
  public static String url(String place) {
    Matcher form = FORM.matcher(place);
    if (!form.matches()) {
      throw new WrongArguments("a path at hf:// is hf://(datasets|models|spaces)/owner/name[@revision]/path");
    }
    String asked = form.group(6);
    if (asked != null && !asked.matches("revision=[^&]+")) {
      throw new WrongArguments("a path at hf:// takes nothing but ?revision=… behind it");
    }
    if (asked != null && form.group(4) != null) {
      throw new WrongArguments("a path at hf:// names its revision twice: by @ and by ?revision=");
    }
    if (form.group(5).matches(".*[*\\[{].*")) {
      throw new NotOffered("patterns cannot be used at hf://\nname one file");
    }
    String revision = asked != null ? asked.substring("revision=".length()) : form.group(4);
    String kind = form.group(1).equals("models") ? "" : form.group(1) + "/";
    String repository = base() + "/" + kind + form.group(2) + "/" + form.group(3);
    return repository + "/resolve/" + encoded(revision) + "/" + form.group(5);
  }

  /** The token of the engine's environment, for the hub alone; null when there is none or the host is another one. */
  static String tokenFor(String authority) {
    String token = System.getenv("HF_TOKEN");
    return token != null && token.length() > 0 && base().endsWith("//" + authority) ? token : null;
  }

  /** The variable is the one that the hub's own tools read. */
  private static String base() {
    String other = System.getenv("HF_ENDPOINT");
    return other == null || other.length() == 0 ? USUAL : other.replaceAll("/+$", "");
  }

  private static String encoded(String revision) {
    String name = revision == null ? "main" : revision.equals("~parquet") ? "refs/convert/parquet" : revision;
    try {
      return URLEncoder.encode(name, "UTF-8");
    } catch (UnsupportedEncodingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
