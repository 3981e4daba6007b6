/** Plugins that tests can script, as real executables or in this JVM. */
@NullMarked
package io.ocicat.cni.testplugins;

import org.jspecify.annotations.NullMarked;
