import java.io.PrintWriter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes without Maven; for on-uml. */
public final class RunTests {
  public static void main(String[] classes) {
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    for (String name : classes) {
      request.selectors(DiscoverySelectors.selectClass(name));
    }
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request.build(), listener);
    PrintWriter out = new PrintWriter(System.out, true);
    listener.getSummary().printFailuresTo(out);
    out.printf(
        "%d passed, %d failed%n",
        listener.getSummary().getTestsSucceededCount(), listener.getSummary().getTotalFailureCount());
    boolean passed =
        listener.getSummary().getTotalFailureCount() == 0
            && listener.getSummary().getTestsSucceededCount() > 0;
    System.exit(passed ? 0 : 1);
  }
}
