package conformance
import ("testing";"os/exec";"os")
func TestExplore(t *testing.T){
 u:=serveHTTP(t,true)
 c:=exec.Command("sh","-c",os.Getenv("EXPLORE")); c.Env=append(os.Environ(),"U="+u); o,err:=c.CombinedOutput(); os.WriteFile("/tmp/explore.out",o,0o600); t.Log(err)
}
