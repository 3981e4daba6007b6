@NullMarked
package io.ocicat.sandbox.pods;

import org.jspecify.annotations.NullMarked;
