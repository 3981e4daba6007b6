package io.ocicat.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Supplies tests with {@link Host} and {@link Lan} parameters:
 *
 * <pre>{@code
 * @Hosts
 * class PingTest {
 *   @Test
 *   void neighboursAnswer(Host a, Host b) {
 *     a.connect(b, "10.0.0.1/24", "10.0.0.2/24");
 *     a.exec("ping", "-c1", "10.0.0.2");
 *   }
 * }
 * }</pre>
 *
 * <p>A parameter of type {@link Host} or {@link Lan} is fresh for every test method and gone after
 * it, however it ends. The same parameter name in {@code @BeforeEach}, the test and
 * {@code @AfterEach} means the same host; one that {@code @BeforeAll} asked for lives as long as
 * the class.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(HostsExtension.class)
public @interface Hosts {}
