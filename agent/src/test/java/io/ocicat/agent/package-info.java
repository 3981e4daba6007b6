@NullMarked
package io.ocicat.agent;

import org.jspecify.annotations.NullMarked;
